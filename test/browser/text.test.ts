import { expect, test } from 'vitest';
import { launch } from '../support/browser.ts';
import { needing } from '../support/programs.ts';

/** A browser without fonts lays out and paints nothing, and most other tests cannot tell. */
test('the browser of the tests paints text, each letter its own', needing('chromium'), async () => {
  const browser = await launch();
  try {
    const page = await browser.newPage({ viewport: { width: 200, height: 80 } });
    const picture = async (text: string, font: string) => {
      await page.setContent(`<body style="font: 40px ${font}">${text}</body>`);
      return (await page.screenshot()).toString('base64');
    };
    for (const font of ['system-ui', 'sans-serif', 'monospace']) {
      const pictures = [await picture('', font), await picture('AAA', font), await picture('BBB', font)];
      expect(new Set(pictures).size, font).toBe(3);
    }
  } finally {
    await browser.close();
  }
});
