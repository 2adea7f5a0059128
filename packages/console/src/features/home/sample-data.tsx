import { seedDatasetOperations } from '@arbiter/contract/operations/seed-datasets';
import { useEffect, useState } from 'react';
import { setBoot } from '../../data/boot.ts';
import { can } from '../../data/can.ts';
import { fetchBoot } from '../../data/fetch-boot.ts';
import { tray } from '../../data/live/tray.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { homeTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { Progress } from '../../ui/progress.tsx';
import { DatasetChoice } from './dataset-choice.tsx';

/** Loads a dataset of sample data, with its progress. Only admins can. */
export function SampleData({ onLoaded }: { readonly onLoaded: () => void }) {
  const permission = can(seedDatasetOperations.load);
  const list = useOperation(seedDatasetOperations.list, {}, { enabled: permission.allowed });
  const datasets = list.data?.datasets ?? [];
  const [wanted, setWanted] = useState<string | null>(null);
  const chosen = datasets.find(({ key }) => key === wanted) ?? datasets[0];
  const { run, busy: isStarting, failure } = useMutate(seedDatasetOperations.load);
  const [isUnderWay, setUnderWay] = useState(false);
  const busy = isStarting || isUnderWay;
  const status = useOperation(
    seedDatasetOperations.status,
    { params: { key: chosen?.key ?? '' } },
    { enabled: chosen !== undefined, everyMs: busy ? 500 : false },
  );
  const load = async () => {
    if (chosen === undefined) return;
    if ((await run({ params: { key: chosen.key }, query: {} })) === null) return;
    setBoot(await fetchBoot());
    onLoaded();
  };
  const at = status.data ?? { status: 'idle' as const, step: '' as const, progress: 0 };
  // It continues on other pages and after a reload, when only the server knows of it.
  const { key = '', name = '' } = chosen ?? {};
  useEffect(() => {
    setUnderWay(at.status === 'running');
    if (at.status === 'running')
      tray().watch({ id: key, kind: 'packLoad', title: t.loadOf(name), open: addresses.home() });
  }, [at.status, key, name]);
  useEffect(() => {
    if (at.status === 'completed' && isUnderWay && !isStarting) void fetchBoot().then(setBoot).then(onLoaded);
  }, [at.status, isUnderWay, isStarting, onLoaded]);
  if (!permission.allowed) return null;
  return (
    <section aria-label={t.sampleTitle} className="flex flex-col gap-3 border-t border-line pt-4">
      <h4 className="font-medium">{t.sampleTitle}</h4>
      <p className="max-w-[72ch] text-soft">{t.emptyText}</p>
      {chosen === undefined ? null : (
        <>
          <DatasetChoice datasets={datasets} chosen={chosen.key} onChoose={setWanted} disabled={busy} />
          <Button className="w-fit" busy={busy} onClick={() => void load()}>
            {busy ? t.loading : t.load(chosen.name)}
          </Button>
        </>
      )}
      {busy ? (
        <div className="flex flex-col gap-1.5" role="status">
          <Progress share={at.progress / 100} label={t.loading} />
          <span className="text-dense">{t.seedSteps[at.step]}</span>
        </div>
      ) : null}
      {list.failure === null ? null : (
        <FailurePanel failure={list.failure} operation={seedDatasetOperations.list} retry={list.refresh} />
      )}
      {failure === null ? null : (
        <FailurePanel failure={failure} operation={seedDatasetOperations.load} retry={() => void load()} />
      )}
    </section>
  );
}
