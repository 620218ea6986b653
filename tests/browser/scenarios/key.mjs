// Without a key, and with a wrong one: it is asked for, kept for the session only, and forgotten when it is refused.
import { assert } from '../stage.mjs';

export default async function key(stage) {
  const { page } = stage;
  const field = page.locator('input[name=loopstep-api-key]');
  await page.goto(`${stage.base}#/inbox`);
  await field.waitFor();
  await stage.accessible();
  await stage.picture('key');
  await field.fill('not-the-key');
  await field.press('Enter');
  await page.getByText('The API refused this key.').waitFor();
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  assert.equal(await page.evaluate(() => JSON.stringify(sessionStorage)), '{}');

  // the right one opens the page that was asked for
  await field.fill(stage.key);
  await field.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage }))).includes(stage.key), 'kept for the session only');
  assert.ok(!page.url().includes(stage.key));
  assert.deepEqual(await stage.context.cookies(), []);

  // another tab knows nothing of it; one that becomes bad is asked for again, in place
  const other = await stage.context.newPage();
  await other.goto(`${stage.base}#/runs`);
  await other.locator('input[name=loopstep-api-key]').waitFor();
  await page.evaluate(() => sessionStorage.setItem('loopstep.key', 'revoked'));
  await page.evaluate(() => (location.hash = '/runs'));
  await field.waitFor();
  await page.getByText('The API refused this key.').waitFor();
  await field.fill(stage.key);
  await field.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await field.waitFor();
}
