// What axe says of every page: nothing.
import { assert } from '../stage.mjs';

export default async function accessible(stage, { places }) {
  const found = [];
  for (const [name, place, ready] of places) {
    await stage.go(place);
    if (ready) await stage.page.locator(ready).first().waitFor();
    await stage.accessible(stage.page, `${name} (${place})`).catch((fault) => found.push(fault.message));
    await stage.picture(`${name}-${stage.given.colour}-${stage.given.language}`);
  }
  assert.equal(found.join('\n\n'), '');
}
