// A plan of 1,000 nodes: drawn, moved and searched on its own page, and drawn for a run of it.
import { assert } from '../stage.mjs';

export default async function large(stage, { plan, run, nodes }) {
  const { page } = stage;
  const drawn = () => page.locator('svg.loopstep g.node').count();
  await stage.go(`/plans/${plan}`);
  await page.locator('svg.loopstep g.node').first().waitFor();
  assert.ok((await drawn()) >= nodes);
  await page.getByRole('button', { name: 'Show all of it' }).or(page.locator('.graph-tools button').nth(2)).first().click();
  await page.locator('.graph-tools button').nth(0).click();
  await stage.picture('large');
  await stage.go(`/runs/${run}`);
  await page.locator('[data-run-status=created]').waitFor();
  await page.locator('svg.loopstep g.node').first().waitFor();
  assert.ok((await drawn()) >= nodes);
  await page.getByText('No node has started.').waitFor();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
  await page.locator('[data-run-status=cancelled]').waitFor();
}
