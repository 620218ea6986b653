// Every page: its form of address, the module that shows it (fetched when it is first needed), and where the header
// says one is. A module's default export is a component that gets {params, query}.
export const HOME = '#/plans';

export const ROUTES = [
  { pattern: '/plans', load: () => import('./pages/plans.js'), section: 'plans' },
  { pattern: '/plans/:name', load: () => import('./pages/plan.js'), section: 'plans' },
  { pattern: '/plans/:name/start', load: () => import('./pages/start.js'), section: 'plans' },
  { pattern: '/plans/:name/edit', load: () => import('./pages/edit.js'), section: 'plans' },
  { pattern: '/new', load: () => import('./pages/edit.js'), section: 'plans' },
  { pattern: '/runs', load: () => import('./pages/runs.js'), section: 'runs' },
  { pattern: '/runs/:run', load: () => import('./pages/run.js'), section: 'runs' },
  { pattern: '/inbox', load: () => import('./pages/inbox.js'), section: 'inbox' },
  { pattern: '/approvals/:id', load: () => import('./pages/approval.js'), section: 'inbox' },
  { pattern: '/callbacks/:id', load: () => import('./pages/callback.js'), section: 'inbox' },
  { pattern: '/schedules', load: () => import('./pages/schedules.js'), section: 'schedules' },
  { pattern: '/messages', load: () => import('./pages/messages.js'), section: 'messages' },
];

export const SECTIONS = [
  { id: 'plans', href: '#/plans' },
  { id: 'runs', href: '#/runs' },
  { id: 'inbox', href: '#/inbox' },
  { id: 'schedules', href: '#/schedules' },
  { id: 'messages', href: '#/messages' },
];
