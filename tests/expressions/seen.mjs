// Reads lines {text, seen} and writes for each what npm jsonata makes of the text, as JSON.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const jsonata = createRequire(process.argv[2] + "/")("jsonata");
for await (const line of createInterface({ input: process.stdin })) {
  const { text, seen } = JSON.parse(line);
  let answer;
  try {
    const value = await jsonata(text).evaluate({}, { states: { input: { seen } } });
    answer = value === undefined ? "undefined" : value;
  } catch (error) {
    answer = "error: " + error.message;
  }
  console.log(JSON.stringify(answer));
}
