// What else belongs to a run: its messages, and the files of its working directory.
import { get, path } from '../api.js';
import { useAction, useApi, usePages } from '../asking.js';
import { html, useEffect, useRef } from '../lib.js';
import { n, t } from '../text.js';
import { ErrorBox } from './error.js';
import { Empty } from './page.js';
import { PagedTable, Table } from './table.js';
import { Time } from './time.js';

export function Messages({ run, round, onPick }) {
  const pages = usePages('/messages', { runId: run });
  useMoved(round, pages.reload);
  const columns = [
    { id: 'sent', head: t('run.sent'), cell: (each) => html`<${Time} at=${each.sentAt} brief />` },
    { id: 'scope', head: t('run.scope'), cell: (each) => html`<code>${each.scope}</code>` },
    { id: 'node', head: t('run.node'), cell: (each) => html`<button type="button" class="link" onClick=${() => onPick({ id: each.activationId })}>${each.nodeId}</button>` },
    { id: 'text', head: t('run.text'), wide: true, cell: (each) => (each.omitted && each.omitted.text ? html`<span class="soft">${t('json.omitted', { bytes: n('json.bytes', each.omitted.text.bytes) })}</span>` : html`<span class="said">${each.text}</span>`) },
  ];
  return html`<${PagedTable} label=${t('run.messages')} pages=${pages} columns=${columns} rowKey=${(each) => each.id} empty=${html`<${Empty} title=${t('run.no_messages')} />`} />`;
}

export function Files({ run, round }) {
  const { data, error, loading, reload } = useApi(path`/runs/${run}/files`);
  const { busy, error: failed, act } = useAction();
  useMoved(round, reload);
  const open = (file) =>
    act(async (signal) => {
      const where = file.split('/').map(encodeURIComponent).join('/');
      const link = await get(path`/runs/${run}/files/` + where, { signal });
      const anchor = Object.assign(document.createElement('a'), { href: link.url, target: '_blank', rel: 'noopener noreferrer' });
      anchor.click();
    });
  if (error && !data) return html`<${ErrorBox} error=${error} retry=${reload} />`;
  if (loading || !data) return html`<p class="loading" role="status">${t('shell.loading')}</p>`;
  const columns = [
    { id: 'path', head: t('run.file'), wide: true, cell: (each) => html`<code>${each.path}</code>` },
    { id: 'bytes', head: t('run.size'), number: true, cell: (each) => n('json.bytes', each.bytes) },
    { id: 'at', head: t('run.changed'), cell: (each) => html`<${Time} at=${each.modifiedAt} brief />` },
    { id: 'open', head: html`<span class="hidden">${t('json.open')}</span>`, cell: (each) => html`<button type="button" disabled=${busy} onClick=${() => open(each.path)} aria-label=${t('run.open_file', { path: each.path })}>${t('json.open')}</button>` },
  ];
  return html`
    ${failed && html`<${ErrorBox} error=${failed} />`}
    <${Table} label=${t('run.files')} columns=${columns} rows=${data.items} rowKey=${(each) => each.path} empty=${html`<${Empty} title=${t('run.no_files')}>${t('run.no_files.why')}<//>`} />
  `;
}

/** Asks again when the run has moved, not at first. */
export function useMoved(round, reload) {
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) reload();
    first.current = false;
  }, [round]);
}
