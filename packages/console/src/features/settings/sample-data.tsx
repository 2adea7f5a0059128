import { seedDatasetOperations } from '@arbiter/contract/operations/seed-datasets';
import { useState } from 'react';
import { setBoot } from '../../data/boot.ts';
import { can } from '../../data/can.ts';
import { fetchBoot } from '../../data/fetch-boot.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { settingsTexts as t } from '../../messages/settings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';

/** Takes the sample data away again. It is loaded from the start page of a tenant that has nothing yet. */
export function SampleData() {
  const permission = can(seedDatasetOperations.list);
  const list = useOperation(seedDatasetOperations.list, {}, { enabled: permission.allowed });
  const [asking, setAsking] = useState(false);
  const { run, busy, failure } = useMutate(seedDatasetOperations.unload);
  const key = list.data?.currentlyLoaded ?? null;
  const dataset = list.data?.datasets.find((each) => each.key === key);
  if (key === null || dataset === undefined) return null;
  const remove = async () => {
    const removed = await run({ params: { key } });
    setAsking(false);
    if (removed === null) return;
    setBoot(await fetchBoot());
    toast({ text: t.sampleRemoved });
  };
  return (
    <Section title={t.sample} about={<Badge tone="info">{t.sampleLoaded}</Badge>}>
      <div className="flex flex-col gap-3">
        {failure === null ? null : (
          <FailurePanel failure={failure} operation={seedDatasetOperations.unload} retry={() => void remove()} />
        )}
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-soft">{t.sampleLead(dataset.name, dataset.description)}</p>
          <Button kind="danger" onClick={() => setAsking(true)}>
            {t.sampleRemove}
          </Button>
        </div>
      </div>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title={t.sampleRemoveTitle(dataset.name)}
        act={t.sampleRemove}
        typed={key}
        busy={busy}
        onConfirm={remove}
      >
        <p>{t.sampleRemoveText}</p>
      </ConfirmDialog>
    </Section>
  );
}
