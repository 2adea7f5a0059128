import type { SeedDataset } from '@arbiter/contract/operations/seed-datasets';
import { homeTexts as t } from '../../messages/home.ts';

/** Selects a dataset of sample data. */
export function DatasetChoice({
  datasets,
  chosen,
  onChoose,
  disabled,
}: {
  readonly datasets: readonly SeedDataset[];
  readonly chosen: string;
  readonly onChoose: (key: string) => void;
  readonly disabled: boolean;
}) {
  return (
    <fieldset className="flex flex-col gap-2" disabled={disabled}>
      <legend className="sr-only">{t.choose}</legend>
      {datasets.map(({ key, name, description, offerCount, creativeCount, channelCount }) => (
        <label
          key={key}
          className="flex cursor-pointer gap-3 rounded-control border border-line px-3 py-2 hover:bg-hover has-checked:border-line-strong"
        >
          <input
            type="radio"
            name="dataset"
            value={key}
            checked={key === chosen}
            onChange={() => onChoose(key)}
            className="mt-1"
          />
          <span className="flex flex-col gap-0.5">
            <span className="font-semibold text-ink">{name}</span>
            <span className="text-dense">{description}</span>
            <span className="text-dense text-faint">{t.datasetSize(offerCount, creativeCount, channelCount)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
