// English. A key stands in both languages; a test compares them.
import inbox from './en/inbox.js';
import plans from './en/plans.js';
import runs from './en/runs.js';
import shell from './en/shell.js';
import starts from './en/starts.js';

export default { ...shell, ...plans, ...starts, ...runs, ...inbox };
