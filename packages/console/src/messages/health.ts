import { titles } from './titles.ts';

/** Texts of the health page. */
export const healthTexts = {
  title: titles.health,
  lead: 'What this server says of itself, asked anew every ten seconds.',
  ready: 'Ready',
  notReady: 'Not ready',
  readyText: 'The server takes traffic.',
  notReadyText: 'A balancer sends nothing here until every check below holds.',
  checks: 'Checks',
  checkWords: { ok: 'holds', failed: 'failed', off: 'not used' },
  check: {
    database: ['Database', 'It answers.'],
    migrations: ['Schema', 'All migrations are applied.'],
    role: ['Database role', 'It cannot pass by row-level security.'],
    queueConsumer: ['Worker', 'It takes jobs: mails, expiries, counts.'],
    scheduler: ['Scheduler', 'What is due runs by itself.'],
  },
  advice: {
    database: 'Look whether PostgreSQL runs and DATABASE_URL is right.',
    migrations: 'Run "arbiter migrate" with the owner of the schema.',
    role: 'Give the server a role that owns nothing and is no superuser.',
    queueConsumer: 'This process runs no worker. Start one, or nothing behind the requests is done.',
    scheduler:
      'Nothing fires by itself here. Call GET /api/v1/cron/tick every minute from outside, or let one process run its scheduler.',
  },
  process: 'Process',
  version: 'Version',
  uptime: 'Running for',
  tables: 'Separation of tenants',
  tablesAll: (count: number) => `All ${count} tables with data of tenants are protected by forced row-level security.`,
  tablesMissing: (missing: number, count: number) =>
    `${missing} of ${count} tables are not protected. Data of other tenants could be read there.`,
  tablesHidden: 'The report on tables is for admins.',
  forced: 'Forced',
  policy: 'Policy',
  table: 'Table',
  missing: 'Not protected',
  policies: 'Policies',
  yes: 'yes',
  no: 'no',
  onlyMissing: 'Show the tables',
  hide: 'Hide the tables',
  none: 'There are no tables.',
} as const;
