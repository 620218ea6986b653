// 中文。
import inbox from './zh/inbox.js';
import plans from './zh/plans.js';
import runs from './zh/runs.js';
import shell from './zh/shell.js';
import starts from './zh/starts.js';

export default { ...shell, ...plans, ...starts, ...runs, ...inbox };
