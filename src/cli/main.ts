import { createSimulator } from '../index.ts';

const sim = await createSimulator({ port: 4747 });
console.log(sim.url);
