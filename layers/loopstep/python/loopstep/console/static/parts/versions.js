// The versions of a plan, and what changed between two of them.
import { path } from '../api.js';
import { useApi, usePages } from '../asking.js';
import { html, useId } from '../lib.js';
import { href, setQuery } from '../router.js';
import { t } from '../text.js';
import { Diff } from './diff.js';
import { ErrorBox } from './error.js';
import { PagedTable } from './table.js';
import { Time } from './time.js';

export function Versions({ name, shown, query }) {
  const pages = usePages(path`/plans/${name}/versions`);
  const items = pages.items || [];
  const after = Number(query.after) || shown.version;
  const before = Number(query.before) || after - 1;
  return html`
    <div class="stack">
      <section>
        <${PagedTable}
          label=${t('plan.versions')}
          pages=${pages}
          rowKey=${(each) => each.version}
          mark=${(each) => (each.version === shown.version ? 'picked' : null)}
          columns=${[
            { id: 'version', head: t('plans.version'), number: true, cell: (each) => html`<a href=${href('/plans/:name', { name }, { version: each.version, tab: 'versions' })}>${each.version}</a>` },
            { id: 'at', head: t('plan.published'), cell: (each) => html`<span class="nowrap"><${Time} at=${each.createdAt} /></span>` },
            { id: 'title', head: t('plan.title'), wide: true, cell: (each) => each.title || html`<span class="soft">–</span>` },
            { id: 'digest', head: t('plan.digest'), cell: (each) => html`<code title=${each.documentDigest}>${each.documentDigest.slice(0, 12)}</code>` },
            {
              id: 'diff',
              head: html`<span class="hidden">${t('changes.title')}</span>`,
              cell: (each) =>
                each.version > 1 &&
                html`<button type="button" class="link" onClick=${() => setQuery({ after: each.version, before: each.version - 1 })}>${t('changes.of', { version: each.version })}</button>`,
            },
          ]}
        />
      </section>
      ${before > 0 && items.length > 0 && html`<${Changes} name=${name} before=${before} after=${after} items=${items} />`}
    </div>
  `;
}

function Changes({ name, before, after, items }) {
  const old = useApi(path`/plans/${name}/versions/${before}`);
  const young = useApi(path`/plans/${name}/versions/${after}`);
  const error = old.error || young.error;
  return html`
    <section>
      <div class="bar">
        <h2>${t('changes.title')}</h2>
        <${Choice} label=${t('changes.from')} value=${before} items=${items} onPick=${(version) => setQuery({ before: version, after })} />
        <${Choice} label=${t('changes.to')} value=${after} items=${items} onPick=${(version) => setQuery({ before, after: version })} />
      </div>
      ${error
        ? html`<${ErrorBox} error=${error} retry=${() => (old.reload(), young.reload())} />`
        : old.data && young.data
          ? html`<${Diff} before=${old.data.document} after=${young.data.document} label=${t('changes.title')} />`
          : html`<p class="loading" role="status">${t('shell.loading')}</p>`}
    </section>
  `;
}

function Choice({ label, value, items, onPick }) {
  const id = useId();
  const numbers = [...new Set([value, ...items.map((each) => each.version)])].sort((a, b) => b - a);
  return html`
    <label for=${id} class="soft">${label}</label>
    <select id=${id} value=${value} onChange=${(event) => onPick(event.target.value)}>
      ${numbers.map((each) => html`<option key=${each} value=${each} selected=${each === value}>${each}</option>`)}
    </select>
  `;
}
