import type { RefObject } from 'react';
import { chooseDensity, useTableLooks } from '../data/saved/table-looks.ts';
import { listPanelTexts as t } from '../messages/lists/list-panel.ts';
import { listToolTexts } from '../messages/lists/list-tools.ts';
import { PopoverBy } from '../ui/overlays/popover.tsx';
import { Segmented } from '../ui/segmented.tsx';
import { ColumnList } from './column-list.tsx';
import { PanelPart } from './panel-part.tsx';
import { SavedViews } from './saved-views.tsx';
import type { LookChoices } from './use-list-look.ts';

export interface ListPanelProps {
  readonly look: LookChoices;
  /** What the rows are, in the plural. */
  readonly title: string;
  /** The button that opened it. */
  readonly button: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
}

/** Columns and their order, row height and saved views of a list. */
export function ListPanel({ look, title, button, onClose }: ListPanelProps) {
  return (
    <PopoverBy label={listToolTexts.viewOf(title)} button={button} onClose={onClose}>
      <div className="flex flex-col gap-4 text-dense">
        {look.known.length > 1 ? <ColumnList look={look} /> : null}
        <PanelPart title={t.density}>
          <div>
            <DensityChoice usual={look.defaultDensity} />
          </div>
        </PanelPart>
        {look.view === null ? null : (
          <PanelPart title={t.views}>
            <SavedViews list={look.list} view={look.view} />
          </PanelPart>
        )}
      </div>
    </PopoverBy>
  );
}

function DensityChoice({ usual }: { readonly usual: LookChoices['defaultDensity'] }) {
  return (
    <Segmented
      label={t.density}
      value={useTableLooks().density ?? usual}
      onChange={chooseDensity}
      options={[
        { key: 'compact', label: t.densities.compact },
        { key: 'comfortable', label: t.densities.comfortable },
      ]}
    />
  );
}
