// A refund from its plan to its end: published, started from the form, watched live, decided in a second tab, failed,
// redriven, and explained.
import { assert } from '../stage.mjs';

export default async function story(stage, { name, document }) {
  const { page } = stage;

  // a plan with a fault cannot be published, and the fault is named; without it, it can
  await stage.go('/new');
  const editor = page.getByRole('textbox', { name: 'Document' });
  await editor.fill(document.replace('input.amount > state.limit', 'input.amuont > state.limit'));
  await page.getByText('did you mean').first().waitFor();
  assert.ok(await page.getByRole('button', { name: 'Publish' }).isDisabled());
  await editor.fill(document);
  await page.locator('[data-status=valid]').waitFor();
  await page.getByRole('button', { name: 'Publish' }).click();
  assert.equal(await page.getByRole('dialog').getByLabel('Name').inputValue(), name);
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();

  // started from the form; what the contract forbids starts nothing and is said at its field
  await page.getByRole('link', { name: 'Start a run' }).click();
  await page.locator('[name="/customer"]').fill('Ada');
  await page.locator('[name="/amount"]').fill('-3');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('[name="/amount"][aria-invalid=true]').waitFor();
  await page.locator('[name="/amount"]').fill('900');
  await stage.picture('start');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('[data-run-status]').waitFor();
  const run = decodeURIComponent(new URL(page.url()).hash.split('/')[2]);

  // it goes on by itself until somebody has to decide
  const asks = page.getByRole('link', { name: 'ask waits for a decision' });
  await asks.waitFor();
  await page.locator('svg.loopstep g.node[data-id=ask][data-tone=wait]').waitFor();
  assert.equal(await page.locator('svg.loopstep g.node[data-id=paid]').getAttribute('data-tone'), '');
  await stage.picture('run-waiting');

  // decided in a second tab; this one sees it without being touched
  const decision = await stage.tab(new URL(await asks.evaluate((link) => link.href)).hash.slice(1));
  assert.match(await decision.locator('.summary').innerText(), /Ada wants 900 back\./);
  await decision.getByLabel('Your name').fill('Grace');
  await decision.getByRole('button', { name: 'Approve' }).click();
  await decision.locator('[data-wait-status=approved]').waitFor();
  await page.bringToFront();
  const pays = page.getByRole('link', { name: 'pay waits for an answer' });
  await pays.waitFor();
  await page.locator('svg.loopstep g.label[data-id=agreed].taken').waitFor();

  // why the branch was taken: its condition, what it read, and the edges that were not
  await page.locator('button[data-activation="look#"]').click();
  const taken = page.locator('.why-edges li.taken');
  await taken.waitFor();
  assert.match(await taken.innerText(), /large[\s\S]*input\.amount > state\.limit/);
  assert.match(await page.locator('.why-edges li.unasked').innerText(), /small[\s\S]*otherwise/);
  const operands = await page.locator('.why-operands tr').allInnerTexts();
  assert.deepEqual(operands.map((each) => each.split(/\s+/).filter(Boolean)), [['input.amount', '900'], ['state.limit', '50']]);
  await stage.picture('run-why');

  // the payment fails, and with it the run
  await decision.bringToFront();
  await stage.go(new URL(await pays.evaluate((link) => link.href)).hash.slice(1), decision);
  await decision.getByRole('button', { name: 'With an error' }).click();
  await decision.getByLabel('Code').fill('bank.closed');
  await decision.getByLabel('Message').fill('Come back on Monday.');
  await decision.getByRole('button', { name: 'Report the error' }).click();
  await decision.locator('[data-wait-status=failed]').waitFor();
  await page.bringToFront();
  await page.locator('[data-run-status=failed]').waitFor();
  assert.match(await page.locator('[data-part=failure]').innerText(), /bank\.closed[\s\S]*pay[\s\S]*Come back on Monday\./);
  await page.locator('svg.loopstep g.node[data-id=pay][data-tone=bad]').waitFor();
  await stage.picture('run-failed');

  // asked about, not done; then done
  await page.getByRole('button', { name: 'Redrive' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), 'Redrive');
  await page.getByRole('button', { name: 'Redrive' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Redrive' }).click();
  await page.locator('[data-run-status=running]').waitFor();
  await pays.waitFor();

  // an answer that breaks the contract changes nothing; a fitting one ends the run
  await stage.go(new URL(await pays.evaluate((link) => link.href)).hash.slice(1), decision);
  await decision.bringToFront();
  await decision.locator('[data-wait-status=pending]').waitFor();
  await stage.picture('callback', decision);
  await decision.locator('[name="/receipt"]').fill('R-17');
  await decision.getByRole('button', { name: 'Send the answer' }).click();
  await decision.locator('[name="/paid"][aria-invalid=true]').waitFor();
  await decision.locator('[name="/paid"]').fill('900');
  await decision.getByRole('button', { name: 'Send the answer' }).click();
  await decision.locator('[data-wait-status=completed]').waitFor();
  await decision.close();
  await page.bringToFront();
  await page.locator('[data-run-status=succeeded]').waitFor();
  await page.getByRole('tab', { name: 'Input and output' }).click();
  assert.match(await page.locator('[role=tabpanel]').innerText(), /receipt: R-17/);

  // what it remembered, at each revision
  await page.getByRole('tab', { name: 'State' }).click();
  await page.getByRole('heading', { name: 'State at revision 2' }).waitFor();
  await page.getByRole('button', { name: 'One revision earlier' }).click();
  await page.getByRole('heading', { name: 'State at revision 1' }).waitFor();
  await page.getByRole('heading', { name: 'What changed since revision 0' }).waitFor();
  const changes = await page.locator('table.diff tbody tr').allInnerTexts();
  assert.deepEqual(changes.map((each) => each.split(/\s+/)[0]), ['changed', 'added']);
  await stage.picture('run-state');

  // what it sent
  await page.getByRole('tab', { name: 'Messages' }).click();
  await page.getByText('Please pay 900 to Ada.').waitFor();
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByText('The run has no files.').waitFor();

  // and it is found again in the list
  await stage.go(`/runs?plan=${name}&status=succeeded`);
  await page.locator(`a[href="#/runs/${run}"]`).waitFor();
  await stage.picture('runs');
  return run;
}
