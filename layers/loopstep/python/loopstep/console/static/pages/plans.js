// All plans by name.
import { usePages } from '../asking.js';
import { html, useEffect, useId } from '../lib.js';
import { Icon } from '../parts/icon.js';
import { Empty, Page } from '../parts/page.js';
import { PagedTable } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { href, setQuery } from '../router.js';
import { t } from '../text.js';

export default function Plans({ query }) {
  const pages = usePages('/plans', {}, 100);
  const wanted = (query.search || '').trim().toLowerCase();
  const id = useId();
  useEffect(() => {
    if (wanted && pages.next && !pages.busy) pages.more(); // one cannot find what is not here yet
  }, [wanted, pages.next, pages.busy]);
  const has = (plan) => !wanted || `${plan.name} ${plan.title}`.toLowerCase().includes(wanted);
  return html`
    <${Page}
      title=${t('plans.title')}
      actions=${html`<a class="button main" href="#/new"><${Icon} name="plus" />${t('plans.new')}</a>`}
    >
      <div class="bar">
        <label class="hidden" for=${id}>${t('plans.search')}</label>
        <input
          id=${id}
          type="search"
          size="32"
          placeholder=${t('plans.search')}
          value=${query.search || ''}
          onInput=${(event) => setQuery({ search: event.target.value })}
        />
      </div>
      <${PagedTable}
        label=${t('plans.title')}
        pages=${pages}
        filter=${has}
        rowKey=${(plan) => plan.name}
        columns=${columns()}
        empty=${wanted ? html`<${Empty} title=${t('plans.none', { text: query.search })} />` : html`<${First} />`}
      />
    <//>
  `;
}

function columns() {
  return [
    {
      id: 'name',
      head: t('plans.name'),
      wide: true,
      cell: (plan) => html`
        <a class="strong" href=${href('/plans/:name', { name: plan.name })}>${plan.name}</a>
        ${plan.title && html`<span class="sub">${plan.title}</span>`}
      `,
    },
    { id: 'version', head: t('plans.version'), number: true, cell: (plan) => plan.version },
    { id: 'updated', head: t('plans.updated'), cell: (plan) => html`<span class="nowrap"><${Time} at=${plan.updatedAt} /></span>` },
    {
      id: 'ways',
      head: html`<span class="hidden">${t('plans.ways')}</span>`,
      cell: (plan) => html`
        <span class="nowrap">
          <a href=${href('/plans/:name/start', { name: plan.name })} aria-label=${t('plans.start.of', { name: plan.name })}>${t('plans.start')}</a>
          ${' · '}
          <a href=${href('/runs', {}, { plan: plan.name })} aria-label=${t('plans.runs.of', { name: plan.name })}>${t('plans.runs')}</a>
        </span>
      `,
    },
  ];
}

function First() {
  return html`
    <${Empty} title=${t('plans.first')}>
      <p>${t('plans.first.how')}</p>
      <p><code>loopstep publish plan.yaml</code></p>
      <p><a href="#/new">${t('plans.first.here')}</a></p>
    <//>
  `;
}
