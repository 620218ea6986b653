// Approvals and callbacks in the inbox: a GET decides nothing, the first answer stands, and what is over says so.
import { assert } from '../stage.mjs';

export default async function people(stage, { approval, lost, callback, restricted }) {
  const { page } = stage;

  // the inbox names what waits, and the link leads to the form; looking at it decides nothing
  await stage.go('/inbox');
  await page.locator(`a[href="#/approvals/${encodeURIComponent(approval)}"]`).click();
  await page.locator('[data-wait-status=pending]').waitFor();
  await page.reload();
  await stage.open();
  await page.locator('[data-wait-status=pending]').waitFor();
  await stage.picture('approval');

  // nobody decides without a name
  await page.getByLabel('Your name').fill('');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('Say who decides.').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'INPUT');

  // two tabs: the first answer counts, the second one is shown it
  const second = await stage.tab(`/approvals/${encodeURIComponent(approval)}`);
  await second.getByLabel('Your name').fill('Zoe');
  await second.getByLabel('Comment').fill('The parcel <b>was</b> late.');
  await second.getByRole('button', { name: 'Reject' }).click();
  await second.locator('[data-wait-status=rejected]').waitFor();
  await page.getByLabel('Your name').fill('Max');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.locator('[data-part=stands]').waitFor();
  await page.locator('[data-wait-status=rejected]').waitFor();
  assert.match(await page.locator('main').innerText(), /Zoe[\s\S]*The parcel <b>was<\/b> late\./);
  assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0);
  await stage.picture('approval-stands');
  await second.close();

  // only those who may decide can be chosen
  await stage.go(`/approvals/${encodeURIComponent(restricted)}`);
  assert.deepEqual(await page.getByLabel('Your name').locator('option').allInnerTexts(), ['Choose your name', 'ada', 'ben']);

  // its run was cancelled meanwhile
  await stage.go(`/approvals/${encodeURIComponent(lost.id)}`);
  await page.getByLabel('Your name').fill('Max');
  const cancelling = await stage.tab(`/runs/${lost.run}`);
  await cancelling.getByRole('button', { name: 'Cancel the run' }).click();
  await cancelling.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
  await cancelling.locator('[data-run-status=cancelled]').waitFor();
  await cancelling.close();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.locator('[data-part=stands]').waitFor();
  assert.match(await page.locator('[data-part=stands]').innerText(), /approval\.over/);

  // a callback whose answer is no fit: the API names the place, and it stays open
  await stage.go(`/callbacks/${encodeURIComponent(callback)}`);
  await page.getByRole('button', { name: 'JSON' }).click();
  await page.getByLabel('Result, as JSON').fill('{"receipt": 5, "paid": "much"}');
  await page.getByRole('button', { name: 'Send the answer' }).click();
  await page.getByText('output.invalid').waitFor();
  assert.match(await page.locator('[role=alert]').first().innerText(), /\/paid/);
  await page.locator('[data-wait-status=pending]').waitFor();
}
