import { seedDatasetOperations } from '@arbiter/contract/operations/seed-datasets';
import { Building2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { setBoot } from '../../data/boot.ts';
import { can } from '../../data/can.ts';
import { fetchBoot } from '../../data/fetch-boot.ts';
import { tray } from '../../data/tray.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { FailurePanel } from '../../forms/failure-panel.tsx';
import { homeTexts as t } from '../../messages/home.ts';
import { addresses } from '../../route/addresses.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Progress } from '../../ui/progress.tsx';
import { DatasetChoice } from './dataset-choice.tsx';

/** A tenant without offers and customers: loads one of the datasets of sample data, and shows how far that is. */
export function NothingYet() {
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
    if ((await run({ params: { key: chosen.key }, query: {} })) !== null) setBoot(await fetchBoot());
  };
  const at = status.data ?? { status: 'idle' as const, step: '' as const, progress: 0 };
  // It goes on while somebody reads another page or loads this one anew; then the server alone knows of it.
  const { key = '', name = '' } = chosen ?? {};
  useEffect(() => {
    setUnderWay(at.status === 'running');
    if (at.status === 'running')
      tray().watch({ id: key, kind: 'packLoad', title: t.loadOf(name), open: addresses.home() });
  }, [at.status, key, name]);
  useEffect(() => {
    if (at.status === 'completed' && !isStarting) void fetchBoot().then(setBoot);
  }, [at.status, isStarting]);
  return (
    <div className="rounded-card border border-line bg-surface">
      <Empty
        title={t.emptyTitle}
        icon={<Building2 />}
        actions={
          <>
            {chosen === undefined ? null : (
              <Button kind="primary" busy={busy} onClick={() => void load()}>
                {busy ? t.loading : t.load(chosen.name)}
              </Button>
            )}
            <a
              href="./api/docs"
              className="inline-flex h-8 items-center rounded-control border border-line-strong bg-surface px-3 font-medium hover:bg-hover"
            >
              {t.own}
            </a>
          </>
        }
      >
        {permission.allowed ? t.emptyText : t.emptyForAdmins}
        {chosen === undefined ? null : (
          <DatasetChoice datasets={datasets} chosen={chosen.key} onChoose={setWanted} disabled={busy} />
        )}
        {busy ? (
          <div className="mt-4 flex flex-col gap-1.5" role="status">
            <Progress share={at.progress / 100} label={t.loading} />
            <span className="text-dense">{t.seedSteps[at.step]}</span>
          </div>
        ) : null}
      </Empty>
      {list.failure === null ? null : (
        <div className="px-4 pb-4">
          <FailurePanel failure={list.failure} operation={seedDatasetOperations.list} retry={list.refresh} />
        </div>
      )}
      {failure === null ? null : (
        <div className="px-4 pb-4">
          <FailurePanel failure={failure} operation={seedDatasetOperations.load} retry={() => void load()} />
        </div>
      )}
    </div>
  );
}
