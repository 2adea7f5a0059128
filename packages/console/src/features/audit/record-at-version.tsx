import { useState } from 'react';
import { useOperation } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { auditTexts as t } from '../../messages/audit.ts';
import { Button } from '../../ui/button.tsx';
import { Diff } from '../../ui/diff/diff.tsx';
import type { Json } from '../../ui/diff/differences.ts';
import { versionsOf } from './record-versions.ts';

export interface RecordAtVersionProps {
  readonly entityType: string;
  readonly id: string;
  /** The version that the row's change made. */
  readonly version: number;
  readonly write: (value: Json) => string | null;
}

/** The whole record as the change left it, and what changed since. Nothing for types without versions. */
export function RecordAtVersion(props: RecordAtVersionProps) {
  const [isOpen, setOpen] = useState(false);
  const operations = versionsOf(props.entityType);
  if (operations === null) return null;
  return isOpen ? (
    <Versions {...props} operations={operations} />
  ) : (
    <Button size="small" className="w-fit" onClick={() => setOpen(true)}>
      {t.showVersion(props.version)}
    </Button>
  );
}

type VersionsProps = RecordAtVersionProps & { readonly operations: NonNullable<ReturnType<typeof versionsOf>> };

function Versions({ id, version, write, operations }: VersionsProps) {
  const params = (number: number) => ({ params: { id, version: String(number) } });
  const newest = useOperation(operations.versions, { params: { id }, query: { limit: 1 } });
  const now = newest.data?.data[0]?.version;
  const then = useOperation(operations.version, params(version));
  const current = useOperation(operations.version, params(now ?? version), { enabled: now !== undefined });
  return (
    <>
      <section className="flex min-w-0 flex-col gap-1" aria-label={t.atVersion(version)}>
        <h3 className="font-medium">{t.atVersion(version)}</h3>
        <Loaded answer={then} operation={operations.version}>
          {(record) => (
            <pre
              // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
              tabIndex={0}
              className="max-h-80 overflow-auto rounded-control bg-sunken p-2 font-mono text-caption break-words whitespace-pre-wrap"
            >
              {JSON.stringify(record, null, 2)}
            </pre>
          )}
        </Loaded>
      </section>
      {now === undefined || now === version ? null : (
        <section className="flex min-w-0 flex-col gap-1" aria-label={t.sinceVersion}>
          <h3 className="font-medium">{t.sinceVersion}</h3>
          <Loaded answer={current} operation={operations.version}>
            {(record) => (
              <Diff
                before={then.data as Json | undefined}
                after={record as Json}
                names={{ before: t.versionName(version), after: t.versionName(now) }}
                write={write}
              />
            )}
          </Loaded>
        </section>
      )}
    </>
  );
}
