// Runs one scenario in a browser: node run.mjs SCENARIO, with what it needs as JSON on standard input.
//
// {console, key, data, chromium, server, pictures, colour, language}: `server` is the address of a browser that runs already.
// Fails when the scenario does, and when any page broke its Content-Security-Policy, wrote an error to the console, or
// asked another host.
import { readFileSync } from 'node:fs';
import { Stage } from './stage.mjs';

const given = JSON.parse(readFileSync(0, 'utf8'));
const scenario = await import(new URL(`./scenarios/${process.argv[2]}.mjs`, import.meta.url));
const stage = await Stage.open(given);
try {
  const result = await scenario.default(stage, given.data || {});
  stage.refuse();
  process.stdout.write(JSON.stringify(result === undefined ? null : result));
} catch (fault) {
  await stage.picture(`failed-${process.argv[2]}`).catch(() => {});
  process.stderr.write(`${fault.stack || fault}\n${stage.heard.join('\n')}\n`);
  process.exitCode = 1;
} finally {
  await stage.close();
}
