import { adminRlsOperations, type RlsReport } from '@arbiter/contract/operations/admin-rls';
import { type Readiness, systemOperations } from '@arbiter/contract/operations/system';
import { useMemo, useState } from 'react';
import { can } from '../../data/can.ts';
import { codeOf } from '../../data/failure.ts';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { healthTexts as t } from '../../messages/health.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { later } from '../../ui/later.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { DataTable } from '../../ui/table.tsx';
import type { Column } from '../../ui/table-column.ts';
import { AlertRules } from './alert-rules.tsx';
import { Bill } from './bill.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { DecisionFigures } from './figures.tsx';

/** Parts of their own: whether the server is ready is told before them. */
const Pipeline = later(() => import('./pipeline.tsx').then((module) => module.Pipeline));
const LastDays = later(() => import('./last-days.tsx').then((module) => module.LastDays));

const everyMs = 10_000;

/** Whether the server may take traffic, and whether tenants are kept apart. */
export function HealthPage() {
  const ready = useOperation(systemOperations.ready, {}, { everyMs });
  const alive = useOperation(systemOperations.health, {}, { everyMs });
  // A server that is not ready says so with a 503, whose body is the same report.
  const isReady = ready.failure === null && ready.data?.status === 'ready';
  return (
    <Page
      title={t.title}
      lead={t.lead}
      about={
        ready.data === undefined && ready.failure === null ? null : (
          <Badge tone={isReady ? 'pass' : 'block'}>{isReady ? t.ready : t.notReady}</Badge>
        )
      }
      actions={ready.asOf === null ? null : <AsOf at={ready.asOf} stale={ready.old} word="checked" />}
    >
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Section title={t.checks} flush>
          {codeOf(ready.failure) === null && ready.data !== undefined ? (
            <Checks checks={ready.data.checks} />
          ) : (
            <div className="p-4">
              <Loaded answer={ready} operation={systemOperations.ready}>
                {({ checks }) => <Checks checks={checks} />}
              </Loaded>
            </div>
          )}
        </Section>
        <Section title={t.process}>
          <Loaded answer={alive} operation={systemOperations.health}>
            {(health) => <ProcessFacts version={health.version} uptimeSeconds={health.uptimeSeconds} />}
          </Loaded>
        </Section>
      </div>
      <Pipeline />
      <LastDays />
      <DecisionFigures />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <AlertRules schedulerOff={ready.data?.checks.scheduler === 'off'} />
        <DeadLetters />
      </div>
      <Tables />
      <Bill />
    </Page>
  );
}

const tones = { ok: 'pass', failed: 'block', off: 'neutral' } as const;
const checkNames = ['database', 'migrations', 'role', 'queueConsumer', 'scheduler'] as const;

function Checks({ checks }: { checks: Readiness['checks'] }) {
  return (
    <ul className="divide-y divide-line">
      {checkNames.map((name) => {
        const state = checks[name];
        const [title, meaning] = t.check[name];
        return (
          <li key={name} className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 px-4 py-2.5">
            <div className="flex min-w-0 flex-col">
              <span className="font-medium">{title}</span>
              <span className="text-dense text-soft">{state === 'ok' ? meaning : t.advice[name]}</span>
            </div>
            <Badge tone={tones[state]}>{t.checkWords[state]}</Badge>
          </li>
        );
      })}
    </ul>
  );
}

function ProcessFacts({ version, uptimeSeconds }: { version: string; uptimeSeconds: number }) {
  const format = useFormat();
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
      <dt className="text-soft">{t.version}</dt>
      <dd className="font-medium">{version}</dd>
      <dt className="text-soft">{t.uptime}</dt>
      <dd className="font-medium">{format.duration(uptimeSeconds * 1_000)}</dd>
    </dl>
  );
}

function Tables() {
  const permission = can(adminRlsOperations.report);
  const report = useOperation(adminRlsOperations.report, {}, { enabled: permission.allowed });
  return (
    <Section
      title={t.tables}
      about={report.asOf === null ? null : <AsOf at={report.asOf} stale={report.old} word="checked" />}
      flush
    >
      {permission.allowed ? (
        <div className="flex flex-col gap-3 p-4">
          <Loaded answer={report} operation={adminRlsOperations.report}>
            {(body) => <Report report={body} />}
          </Loaded>
        </div>
      ) : (
        <p className="p-4 text-soft">{t.tablesHidden}</p>
      )}
    </Section>
  );
}

type TableRow = RlsReport['tables'][number];

const columns: readonly Column<TableRow>[] = [
  {
    key: 'table',
    header: t.table,
    width: 260,
    cell: (row) => <span className="font-mono text-caption">{row.table}</span>,
    text: (row) => row.table,
    sortBy: (row) => row.table,
  },
  {
    key: 'forced',
    header: t.forced,
    width: 100,
    grow: 0,
    cell: (row) => <Badge tone={row.rlsForced ? 'pass' : 'block'}>{row.rlsForced ? t.yes : t.no}</Badge>,
    text: (row) => row.rlsForced,
    sortBy: (row) => (row.rlsForced ? 1 : 0),
  },
  {
    key: 'policies',
    header: t.policies,
    width: 220,
    cell: (row) => <span className="font-mono text-caption text-soft">{row.policies.join(', ')}</span>,
    text: (row) => row.policies.join(', '),
    sortBy: (row) => row.policies.join(),
  },
];

function Report({ report: { summary, tables } }: { report: RlsReport }) {
  const missing = useMemo(() => new Set(summary.missingRLS), [summary.missingRLS]);
  const [open, setOpen] = useState(missing.size > 0);
  const rows = missing.size > 0 ? tables.filter(({ table }) => missing.has(table)) : tables;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={missing.size === 0 ? 'pass' : 'block'}>
            {summary.totalTables - missing.size} / {summary.totalTables}
          </Badge>
          {missing.size === 0 ? t.tablesAll(summary.totalTables) : t.tablesMissing(missing.size, summary.totalTables)}
        </p>
        <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t.hide : t.onlyMissing}
        </Button>
      </div>
      {open ? (
        <DataTable
          label={t.tables}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.table}
          complete
          maxHeight="50dvh"
          empty={<Empty title={t.none} />}
        />
      ) : null}
    </>
  );
}
