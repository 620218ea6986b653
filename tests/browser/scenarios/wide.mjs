// A run of 10,000 activations stays usable: folded, paged, filtered; and its graph says how many each node has.
import { assert } from '../stage.mjs';

export default async function wide(stage, { run, items, failed }) {
  const { page } = stage;
  await stage.go(`/runs/${run}`);
  const region = page.locator('button[data-within="each.item.*"]');
  await region.waitFor();
  assert.match(await region.innerText(), new RegExp(items.toLocaleString('en')));
  const rows = () => page.locator('.timeline .tl-row').count();
  assert.ok((await rows()) < 20, 'what went well is folded');
  await page.locator('svg.loopstep .badge').first().waitFor();
  assert.match(await page.locator('svg.loopstep g.node[data-id=check] .badge').textContent(), new RegExp(String(items)));

  // opened, it comes page by page
  await region.click();
  await page.locator('button[data-within="each.item.49"]').waitFor();
  const before = await rows();
  assert.ok(before < 120, `one page is shown: ${before} rows`);
  await page.locator('.tl-more button').click();
  await page.locator('button[data-within="each.item.99"]').waitFor();

  // only those that failed
  await page.getByRole('group', { name: 'Show' }).getByRole('button', { name: 'failed' }).click();
  await page.locator(`button[data-within="each.item.${failed}"]`).waitFor();
  await page.locator('button[data-within="each.item.0"]').waitFor({ state: 'detached' });
  await page.locator(`button[data-activation="check#${failed}"]`).click();
  await page.locator('.act').getByText('too.odd').first().waitFor();
  await stage.picture('wide');

  // while it is there, the page answers at once: a key is drawn within a few frames
  const longest = await page.evaluate(async () => {
    let worst = 0;
    for (let each = 0; each < 10; each += 1) {
      const begun = performance.now();
      document.querySelector('.tabs button').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      worst = Math.max(worst, performance.now() - begun);
    }
    return worst;
  });
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
  assert.ok(nodes < 5000, `${nodes} elements`);
  return { longest: Math.round(longest), nodes };
}
