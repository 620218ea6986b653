// What the console's modules without a page do.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';

const STATIC = new URL('../../layers/loopstep/python/loopstep/console/static/', import.meta.url);

/** A module that imports nothing, whatever node takes a .js file for. */
async function load(name) {
  const text = await readFile(new URL(name, STATIC), 'utf8');
  return import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);
}

const { differences, folded } = await load('diff.js');
const { draftOf, draftsOf, formOf, pointer, valuesOf } = await load('form.js');

function random(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

function longest(one, other) {
  const table = Array.from({ length: one.length + 1 }, () => Array(other.length + 1).fill(0));
  for (let i = one.length - 1; i >= 0; i -= 1) {
    for (let k = other.length - 1; k >= 0; k -= 1) {
      table[i][k] = one[i] === other[k] ? table[i + 1][k + 1] + 1 : Math.max(table[i + 1][k], table[i][k + 1]);
    }
  }
  return table[0][0];
}

test('differences give both texts back and keep as many lines as can be kept', () => {
  const draw = random(7);
  for (let round = 0; round < 2000; round += 1) {
    const [before, after] = [0, 1].map(() => Array.from({ length: 1 + draw(12) }, () => 'abc'[draw(3)]));
    const found = differences(before.join('\n'), after.join('\n'));
    const of = (sign) => found.filter((line) => line.sign !== sign).map((line) => line.text);
    assert.deepEqual(of('+'), before);
    assert.deepEqual(of('-'), after);
    assert.equal(found.filter((line) => line.sign === ' ').length, longest(before, after));
    for (const line of found) {
      if (line.from) assert.equal(before[line.from - 1], line.text);
      if (line.to) assert.equal(after[line.to - 1], line.text);
    }
  }
});

test('what stays the same is folded away', () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`);
  const changed = lines.with(25, 'other');
  const pieces = folded(differences(lines.join('\n'), changed.join('\n')), 2);
  assert.equal(pieces[0].hidden.length, 23);
  assert.deepEqual(pieces.slice(1, -1).map((each) => each.sign).join(''), '  -+  ');
  assert.equal(pieces.at(-1).hidden.length, 22);
});

const FIELDS = {
  name: { type: 'string', required: true },
  count: { type: 'integer' },
  ratio: { type: 'number' },
  urgent: { type: 'boolean' },
  colour: { type: 'string', enum: ['red', 'green'] },
  size: { type: 'integer', enum: [1, 2] },
  when: { type: 'datetime' },
  pause: { type: 'duration' },
  desk: { type: 'scope' },
  tags: { type: 'array', items: { type: 'string' } },
  lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string', required: true } } } },
  address: { type: 'object', properties: { street: { type: 'string', required: true } } },
  extra: { type: 'object' },
  any: { type: 'any' },
};

test('each type has a form', () => {
  const forms = Object.fromEntries(Object.entries(FIELDS).map(([name, schema]) => [name, formOf(schema)]));
  assert.deepEqual(forms, {
    name: 'text', count: 'number', ratio: 'number', urgent: 'flag', colour: 'choice', size: 'choice', when: 'moment',
    pause: 'text', desk: 'text', tags: 'list', lines: 'list', address: 'group', extra: 'json', any: 'json',
  });
  assert.equal(formOf({ type: 'object', properties: {}, additional: true }), 'json');
  assert.equal(formOf({ type: 'array' }), 'json');
});

test('a value comes back from its drafts as it was', () => {
  const value = {
    name: 'Ada', count: -3, ratio: 0.25, urgent: false, colour: 'green', size: 2, when: '2026-12-01T09:30:05.000Z',
    pause: 'PT30S', desk: 'team/a', tags: ['a', 'b'], lines: [{ sku: 'x' }], address: { street: 'Long 1' },
    extra: { a: [1, null] }, any: null,
  };
  delete value.any;
  assert.deepEqual(valuesOf(FIELDS, draftsOf(FIELDS, value)), { value, errors: [] });
});

test('what is empty is left out', () => {
  assert.deepEqual(valuesOf(FIELDS, draftsOf(FIELDS, {})), { value: {}, errors: [] });
  const needed = { tags: { ...FIELDS.tags, required: true } };
  assert.deepEqual(valuesOf(needed, draftsOf(needed, {})), { value: { tags: [] }, errors: [] });
});

test('what is no value is said at its place', () => {
  const drafts = { ...draftsOf(FIELDS, {}), count: '1.5', ratio: '0x1f', when: 'soon', any: '{', tags: [''], size: '1' };
  const errors = Object.fromEntries(valuesOf(FIELDS, drafts).errors.map((each) => [each.path, each.message]));
  assert.deepEqual(errors, { '/count': 'form.integer', '/ratio': 'form.number', '/when': 'form.moment', '/any': 'form.json', '/tags/0': 'form.item' });
  const big = valuesOf(FIELDS, { ...draftsOf(FIELDS, {}), count: '9007199254740993' });
  assert.deepEqual(big.errors, [{ path: '/count', message: 'form.integer' }]);
});

test('defaults are shown, not sent', () => {
  const schema = { type: 'string', default: 'x' };
  assert.equal(draftOf(schema, undefined), '');
  assert.equal(pointer('a/b~c'), 'a~1b~0c');
});
