// Tables with rows of data, and lists that come page by page.
import { cx, html } from '../lib.js';
import { n, t } from '../text.js';
import { ErrorBox } from './error.js';
import { Empty } from './page.js';

/**
 * `label` names the table for a screen reader; `columns`: [{id, head, cell(row, index), number, wide}]; `rowKey(row)`;
 * `mark(row)`: a class for the row. `empty`: what stands there without rows.
 */
export function Table({ label, columns, rows, rowKey, mark, empty }) {
  if (!rows.length && empty) return empty;
  return html`
    <div class="scroll" role="region" aria-label=${label} tabindex="0">
      <table>
        <caption class="hidden">${label}</caption>
        <thead>
          <tr>
            ${columns.map(
              (each) => html`<th key=${each.id} scope="col" class=${cx(each.number && 'number', each.wide && 'wide')}>${each.head}</th>`,
            )}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row, index) => html`
              <tr key=${rowKey ? rowKey(row) : index} class=${mark ? mark(row) : null}>
                ${columns.map(
                  (each) => html`<td key=${each.id} class=${cx(each.number && 'number', each.wide && 'wide')}>${each.cell(row, index)}</td>`,
                )}
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** A paged list of usePages as a table, with what stands there while it comes, when it fails and when it is empty. */
export function PagedTable({ pages, empty, filter, ...table }) {
  const { items, next, error, loading, busy, more, reload } = pages;
  if (error && !items) return html`<${ErrorBox} error=${error} retry=${reload} />`;
  if (loading || !items) return html`<p class="loading" role="status">${t('shell.loading')}</p>`;
  const rows = filter ? items.filter(filter) : items;
  return html`
    <${Table} ...${table} rows=${rows} empty=${rows.length === 0 && !next ? empty || html`<${Empty} title=${t('table.empty')} />` : null} />
    <${Pager} shown=${rows.length} next=${next} busy=${busy} more=${more} />
    ${error && html`<${ErrorBox} error=${error} retry=${more} />`}
  `;
}

/** How many are shown, and the way to more. */
export function Pager({ shown, next, busy, more }) {
  if (!shown && !next) return null;
  return html`
    <div class="pager">
      <span class="soft" role="status">${n(next ? 'table.shown' : 'table.all', shown)}</span>
      ${next && html`<button type="button" onClick=${more} disabled=${busy}>${busy ? t('shell.loading') : t('table.more')}</button>`}
    </div>
  `;
}
