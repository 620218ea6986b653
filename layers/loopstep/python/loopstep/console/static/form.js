// From a contract to a form and back. A draft is what stands in the fields: texts for scalars ('' is left out), a list
// of drafts for an array, {given, fields} for an object, and a text of JSON for what has no form of its own.

const TEXTS = ['string', 'scope', 'duration', 'filePath', 'directoryPath'];
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** How a schema is entered: choice, flag, number, moment, text, list, group or json. */
export function formOf(schema) {
  if (schema.enum) return 'choice';
  if (schema.type === 'boolean') return 'flag';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  if (schema.type === 'datetime') return 'moment';
  if (TEXTS.includes(schema.type)) return 'text';
  if (schema.type === 'array' && schema.items) return 'list';
  if (schema.type === 'object' && schema.properties && !schema.additional) return 'group';
  return 'json';
}

/** The draft of a value; without one (undefined) the fields are empty. */
export function draftOf(schema, value) {
  switch (formOf(schema)) {
    case 'choice':
      return value === undefined ? '' : JSON.stringify(value);
    case 'list':
      return (value || []).map((each) => draftOf(schema.items, each));
    case 'group':
      return { given: Boolean(schema.required) || value !== undefined, fields: draftsOf(schema.properties, value) };
    case 'json':
      return value === undefined ? '' : JSON.stringify(value, null, 2);
    case 'moment':
      return value === undefined ? '' : localMoment(value);
    default:
      return value === undefined ? '' : String(value);
  }
}

/** The drafts of a map of fields. */
export function draftsOf(fields, values) {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, draftOf(schema, (values || {})[name])]));
}

/** `{value, errors: [{path, message}]}` of drafts; what is left out is not in the value. Messages are keys of texts. */
export function valuesOf(fields, drafts, path = '') {
  const value = {};
  const errors = [];
  for (const [name, schema] of Object.entries(fields)) {
    const made = valueOf(schema, drafts[name], `${path}/${pointer(name)}`);
    errors.push(...made.errors);
    if (made.value !== undefined) value[name] = made.value;
  }
  return { value, errors };
}

function valueOf(schema, draft, path) {
  const wrong = (message) => ({ value: undefined, errors: [{ path, message }] });
  switch (formOf(schema)) {
    case 'choice':
      return { value: draft === '' ? undefined : JSON.parse(draft), errors: [] };
    case 'flag':
      return { value: draft === '' ? undefined : draft === 'true', errors: [] };
    case 'number': {
      const text = draft.trim();
      if (text === '') return { value: undefined, errors: [] };
      const number = Number(text);
      if (!DECIMAL.test(text) || !Number.isFinite(number)) return wrong('form.number');
      if (schema.type === 'integer' && !Number.isSafeInteger(number)) return wrong('form.integer');
      return { value: number, errors: [] };
    }
    case 'moment': {
      if (draft === '') return { value: undefined, errors: [] };
      const date = new Date(draft);
      return Number.isNaN(date.getTime()) ? wrong('form.moment') : { value: date.toISOString(), errors: [] };
    }
    case 'list': {
      if (!draft.length && !schema.required) return { value: undefined, errors: [] };
      const made = draft.map((each, index) => valueOf(schema.items, each, `${path}/${index}`));
      const errors = made.flatMap((each) => each.errors);
      made.forEach((each, index) => {
        if (each.value === undefined && !each.errors.length) errors.push({ path: `${path}/${index}`, message: 'form.item' });
      });
      return { value: made.map((each) => each.value), errors };
    }
    case 'group':
      return draft.given ? valuesOf(schema.properties, draft.fields, path) : { value: undefined, errors: [] };
    case 'json':
      if (draft.trim() === '') return { value: undefined, errors: [] };
      try {
        return { value: JSON.parse(draft), errors: [] };
      } catch {
        return wrong('form.json');
      }
    default:
      return { value: draft === '' ? undefined : draft, errors: [] };
  }
}

/** A name as a part of a JSON pointer. */
export const pointer = (name) => String(name).replace(/~/g, '~0').replace(/\//g, '~1');

/** A moment as a field of the browser has it: in the reader's time zone, to the second. */
function localMoment(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
