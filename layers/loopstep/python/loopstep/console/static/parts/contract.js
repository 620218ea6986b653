// What a plan takes, gives and remembers, field by field.
import { html } from '../lib.js';
import { t } from '../text.js';
import { Table } from './table.js';

export function Contract({ version }) {
  const pins = Object.entries(version.pins).flatMap(([kind, ids]) => Object.entries(ids).map(([id, number]) => ({ kind, id, number })));
  return html`
    <div class="stack">
      ${['input', 'output', 'state'].map((part) => html`<${Part} key=${part} title=${t(`data.${part}`)} fields=${version[part]} />`)}
      ${pins.length > 0 &&
      html`<section>
        <h2 class="gap">${t('contract.pins')}</h2>
        <ul>${pins.map(({ kind, id, number }) => html`<li key=${`${kind}/${id}`}>${kind} <code>${id}</code>, ${t('plan.version', { version: number })}</li>`)}</ul>
      </section>`}
    </div>
  `;
}

function Part({ title, fields }) {
  const rows = [...flat(fields, '')];
  return html`
    <section>
      <h2 class="gap">${title}</h2>
      <${Table}
        label=${title}
        rows=${rows}
        rowKey=${(row) => row.name}
        empty=${html`<p class="soft">${t('contract.none')}</p>`}
        columns=${[
          { id: 'name', head: t('contract.field'), cell: (row) => html`<code>${row.name}</code>` },
          { id: 'type', head: t('graph.type'), cell: (row) => html`<code>${row.type}</code>` },
          { id: 'need', head: t('contract.need'), cell: (row) => row.need },
          { id: 'more', head: t('contract.more'), wide: true, cell: (row) => row.more },
        ]}
      />
    </section>
  `;
}

function* flat(fields, prefix) {
  for (const [name, schema] of Object.entries(fields)) {
    yield { name: prefix + name, type: typeOf(schema), need: presence(schema), more: more(schema) };
    const inner = schema.type === 'array' ? schema.items : schema;
    if (inner && inner.properties) yield* flat(inner.properties, `${prefix}${name}${schema.type === 'array' ? '[].' : '.'}`);
  }
}

/** A type in short: `string`, `integer[]`. */
export function typeOf(schema) {
  return schema.type === 'array' && schema.items ? `${typeOf(schema.items)}[]` : schema.type;
}

export function presence(schema) {
  if ('default' in schema) return t('contract.default', { value: schema.secret ? '***' : JSON.stringify(schema.default) });
  return schema.required ? t('contract.required') : t('contract.optional');
}

const LIMITS = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'];

export function more(schema) {
  const said = LIMITS.filter((name) => name in schema).map((name) => t(`contract.${name}`, { n: schema[name] }));
  if (schema.enum) said.unshift(t('contract.enum', { values: schema.enum.map((each) => JSON.stringify(each)).join(', ') }));
  if (schema.secret) said.push(t('contract.secret'));
  if (schema.additional) said.push(t('contract.open'));
  return said.join('; ');
}
