// A run without a pointer: everything is reached by keys, and live changes leave the focus where it is.
import { assert } from '../stage.mjs';

export default async function keyboard(stage, { run, approval }) {
  const { page } = stage;
  await stage.go(`/runs/${run}`);
  const focused = () => page.evaluate(() => document.activeElement.dataset.activation || document.activeElement.dataset.within || document.activeElement.textContent.trim() || document.activeElement.tagName);

  // from the top to the first row of the timeline with Tab alone
  await page.locator('button[data-activation="look#"]').waitFor();
  await page.reload();
  await page.locator('button[data-activation="look#"]').waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Skip to the content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H1');
  for (let presses = 0; presses < 40 && (await focused()) !== 'look#'; presses += 1) await page.keyboard.press('Tab');
  assert.equal(await focused(), 'look#');

  // Enter shows it; the focus stays on the row
  await page.keyboard.press('Enter');
  await page.locator('.act .why-edges li.taken').waitFor();
  assert.equal(await focused(), 'look#');
  assert.match(await page.locator('.why-edges li.taken').innerText(), /taken[\s\S]*large[\s\S]*input\.amount > state\.limit/);

  // a group is closed and opened by its row, and says so
  await page.locator('button[data-within="each.item.0"]').focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('button[data-within="each.item.0"]').getAttribute('aria-expanded'), 'false');
  await page.keyboard.press('Space');
  await page.locator('button[data-activation="check#0"]').waitFor();

  // tabs with arrows, the state with arrows on its slider
  await page.getByRole('tab', { name: 'Timeline' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('slider').focus();
  await page.keyboard.press('Home');
  await page.getByText('As the plan declares it').waitFor();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('heading', { name: 'State at revision 1' }).waitFor();
  await page.getByRole('tab', { name: 'State' }).focus();
  await page.keyboard.press('ArrowLeft');

  // decided in another tab while a row has the focus: the run moves on, the focus stays, and the change is said
  const row = page.locator('button[data-activation="ask#"]');
  await row.focus();
  const other = await stage.tab(`/approvals/${encodeURIComponent(approval)}`);
  await other.getByLabel('Your name').focus();
  await other.keyboard.type('Kim');
  for (let presses = 0; presses < 10 && !/Reject/.test(await other.evaluate(() => document.activeElement.textContent)); presses += 1) await other.keyboard.press('Tab');
  await other.keyboard.press('Enter');
  await other.locator('[data-wait-status=rejected]').waitFor();
  await other.close();
  await page.bringToFront();
  await page.locator('[data-run-status=succeeded]').waitFor();
  assert.equal(await focused(), 'ask#');
  assert.match(await page.locator('#announcer').innerText(), /succeeded/);
}
