import { type DeadLetterReport, deadLetterOperations } from '@arbiter/contract/operations/dead-letters';
import { useState } from 'react';
import { can } from '../../data/can.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { Loaded } from '../../forms/loaded.tsx';
import { healthTexts as t } from '../../messages/health.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { toast } from '../../ui/toast.tsx';
import { groupsOf } from './letters.ts';

const everyMs = 30_000;
const tones = { OK: 'pass', WARNING: 'warn', CRITICAL: 'block' } as const;

/** Jobs that used up their tries: by job and cause, with the two ways out. */
export function DeadLetters() {
  const permission = can(deadLetterOperations.list);
  const report = useOperation(
    deadLetterOperations.list,
    { query: { limit: 200 } },
    { enabled: permission.allowed, everyMs },
  );
  return (
    <Section
      title={t.letters}
      about={
        <>
          {report.data === undefined || report.data.totalEvents === 0 ? null : (
            <Badge tone={tones[report.data.alert]}>{t.lettersAlert[report.data.alert]}</Badge>
          )}
          {report.asOf === null ? null : <AsOf at={report.asOf} stale={report.old} word="checked" />}
        </>
      }
      flush
    >
      {permission.allowed ? (
        <Loaded answer={report} operation={deadLetterOperations.list}>
          {(body) => <Topics report={body} />}
        </Loaded>
      ) : (
        <p className="p-4 text-soft">{t.lettersHidden}</p>
      )}
    </Section>
  );
}

function Topics({ report: { totalEvents, byTopic, events } }: { report: DeadLetterReport }) {
  const format = useFormat();
  const [doomed, setDoomed] = useState<{ readonly topic: string; readonly count: number } | null>(null);
  const { run, busy, failure, clear } = useMutate(deadLetterOperations.act);
  const [last, setLast] = useState<readonly ['retry' | 'purge', string] | null>(null);
  if (totalEvents === 0) return <p className="p-4 text-soft">{t.lettersNone}</p>;
  const groups = groupsOf(events);
  const act = async (action: 'retry' | 'purge', topic: string) => {
    setLast([action, topic]);
    const done = await run({ body: { action, topic } });
    if (done === null) return;
    setDoomed(null);
    toast({ text: done.action === 'retry' ? t.retried(done.requeued) : t.purged(done.deleted) });
  };
  const problem =
    failure === null ? null : (
      <FailurePanel
        failure={failure}
        operation={deadLetterOperations.act}
        retry={last === null ? null : () => void act(...last)}
      />
    );
  return (
    <>
      {problem !== null && doomed === null ? <div className="p-4">{problem}</div> : null}
      <ul className="divide-y divide-line">
        {Object.entries(byTopic).map(([topic, count]) => (
          <li key={topic} className="flex flex-col gap-1.5 px-4 py-2.5">
            <span className="flex flex-wrap items-center gap-2">
              <code className="font-medium">{topic}</code>
              <span className="flex-1 text-soft">{t.lettersOf(count)}</span>
              <Button size="small" busy={busy} aria-label={t.retryOf(topic)} onClick={() => void act('retry', topic)}>
                {t.retry}
              </Button>
              <Button
                size="small"
                kind="danger"
                aria-label={t.purgeOf(topic)}
                onClick={() => {
                  clear();
                  setDoomed({ topic, count });
                }}
              >
                {t.purge}
              </Button>
            </span>
            <ul className="flex flex-col gap-0.5 text-dense text-soft">
              {groups
                .filter((group) => group.topic === topic)
                .map(({ error, count: same, newest }) => (
                  <li key={error} className="break-words">
                    {format.number(same)} × “{error}” · {t.lettersNewest(format.moment(newest))}
                  </li>
                ))}
            </ul>
          </li>
        ))}
      </ul>
      {events.length < totalEvents ? (
        <p className="border-line border-t px-4 py-2 text-caption text-faint">
          {t.lettersPart(events.length, totalEvents)}
        </p>
      ) : null}
      <ConfirmDialog
        open={doomed !== null}
        onOpenChange={() => setDoomed(null)}
        title={t.purgeTitle(doomed?.count ?? 0, doomed?.topic ?? '')}
        act={t.purgeOf(doomed?.topic ?? '')}
        typed={String(doomed?.count ?? '')}
        busy={busy}
        onConfirm={() => doomed !== null && void act('purge', doomed.topic)}
      >
        {problem}
        <p>{t.purgeText}</p>
      </ConfirmDialog>
    </>
  );
}
