// One plan: its graph, where its data lives, document and definition, contracts, versions and what starts it.
import { path } from '../api.js';
import { useApi } from '../asking.js';
import { html } from '../lib.js';
import { Clocks } from '../parts/clocks.js';
import { Contract } from '../parts/contract.js';
import { Findings } from '../parts/findings.js';
import { Icon } from '../parts/icon.js';
import { ErrorBox } from '../parts/error.js';
import { Page } from '../parts/page.js';
import { DataView, DocumentView, GraphTab } from '../parts/planviews.js';
import { Tabs } from '../parts/tabs.js';
import { Time } from '../parts/time.js';
import { Triggers } from '../parts/triggers.js';
import { Versions } from '../parts/versions.js';
import { href, setQuery } from '../router.js';
import { t } from '../text.js';

export default function PlanPage({ params, query }) {
  const { name } = params;
  const plan = useApi(path`/plans/${name}`);
  const number = Number(query.version) || (plan.data && plan.data.version);
  const version = useApi(number ? path`/plans/${name}/versions/${number}` : null);
  const crumbs = [[t('plans.title'), '#/plans']];
  const error = plan.error || version.error;
  const older = plan.data && number !== plan.data.version;
  return html`
    <${Page}
      title=${name}
      crumbs=${crumbs}
      wide
      about=${version.data && html`<${About} version=${version.data} newest=${plan.data && plan.data.version} />`}
      actions=${version.data && html`<${Actions} name=${name} version=${older ? number : ''} />`}
    >
      ${error && html`<${ErrorBox} error=${error} retry=${plan.error ? plan.reload : version.reload} />`}
      ${(plan.loading || version.loading) && !error && html`<p class="loading" role="status">${t('shell.loading')}</p>`}
      ${older &&
      version.data &&
      html`<p class="notice wait"><${Icon} name="info" /><span>
        ${t('plan.older', { version: number })} <a href=${href('/plans/:name', { name }, { tab: query.tab })}>${t('plan.newest', { version: plan.data.version })}</a>
      </span></p>`}
      ${version.data && html`<${Views} version=${version.data} plan=${plan.data} query=${query} />`}
    <//>
  `;
}

function About({ version, newest }) {
  return html`
    ${version.title && html`<span>${version.title}</span>`}
    <span>${t('plan.version', { version: version.version })}${version.version === newest && ` (${t('plan.is.newest')})`}</span>
    <span>${t('plan.published')} <${Time} at=${version.createdAt} /></span>
  `;
}

function Actions({ name, version }) {
  return html`
    <a class="button" href=${href('/runs', {}, { plan: name })}>${t('plans.runs')}</a>
    <a class="button" href=${href('/plans/:name/edit', { name }, { version })}>${t('plan.edit')}</a>
    <a class="button main" href=${href('/plans/:name/start', { name }, { version })}><${Icon} name="play" size=${14} />${t('plans.start')}</a>
  `;
}

function Views({ version, plan, query }) {
  const told = version.diagnostics.length;
  const tabs = [
    { id: 'graph', text: t('plan.graph'), show: () => html`<${GraphTab} version=${version} query=${query} />` },
    { id: 'data', text: t('plan.data'), show: () => html`<${DataView} document=${version.document} />` },
    { id: 'contract', text: t('plan.contract'), show: () => html`<${Contract} version=${version} />` },
    { id: 'document', text: t('plan.document'), show: () => html`<${DocumentView} version=${version} line=${Number(query.line) || 0} />` },
    { id: 'versions', text: t('plan.versions'), count: plan ? plan.version : null, show: () => html`<${Versions} name=${version.name} shown=${version} query=${query} />` },
    { id: 'starts', text: t('plan.starts'), show: () => html`<${Starts} name=${version.name} />` },
  ];
  if (told) {
    const show = () =>
      html`<${Findings} found=${version.diagnostics} onLine=${(line) => setQuery({ tab: 'document', line })} />`;
    tabs.splice(4, 0, { id: 'told', text: t('plan.told'), count: told, show });
  }
  return html`<${Tabs} label=${t('plan.views')} tabs=${tabs} chosen=${query.tab || 'graph'} onPick=${(tab) => setQuery({ tab: tab === 'graph' ? null : tab, line: null })} />`;
}

function Starts({ name }) {
  return html`
    <div class="stack">
      <section><h2 class="gap">${t('clocks.title')}</h2><${Clocks} plan=${name} /></section>
      <section><h2 class="gap">${t('triggers.title')}</h2><${Triggers} plan=${name} /></section>
    </div>
  `;
}
