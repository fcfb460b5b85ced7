/** The built simulator on its own directory, started through the library. */
import { dist } from './paths.ts';

const { createSimulator } = (await import(dist)) as typeof import('../src/index.ts');
const sim = await createSimulator({ data: process.argv[2] as string, rateLimit: 'off' });
const { clientId, apiKey } = sim.default;
console.log(
  JSON.stringify({
    event: 'ready',
    base_url: sim.url,
    control_token: sim.controlToken,
    dashboard_url: sim.dashboardUrl,
    sandbox: { client_id: clientId, api_key: apiKey },
  }),
);
