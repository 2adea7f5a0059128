import { ChartColumn, Ellipsis, FileImage, FileSpreadsheet, Table2 } from 'lucide-react';
import type { RefObject } from 'react';
import { flushSync } from 'react-dom';
import { chartTexts as t } from '../../messages/charts.ts';
import { Button } from '../button.tsx';
import { csvText } from '../csv.ts';
import { Menu, type MenuItem } from '../overlays/menu.tsx';
import { toast } from '../overlays/toast.tsx';
import { useFormat } from '../provider.tsx';
import { fileName, saveFile } from '../save-file.ts';
import type { ChartTable } from './frame.tsx';
import { dayOf } from './zone-days.ts';

export interface ChartMenuProps {
  readonly title: string;
  readonly summary: string;
  readonly table: ChartTable;
  /** What the file shows: the whole figure without this menu. */
  readonly figure: RefObject<HTMLElement | null>;
  /** The figure shows no title of its own: the file needs one. */
  readonly drawsTitle: boolean;
  readonly asTable: boolean;
  /** Null where the picture is a table itself. */
  readonly onAsTable: ((asTable: boolean) => void) | null;
}

/** Other forms of a chart: its table, and both as files. */
export function ChartMenu(props: ChartMenuProps) {
  const { title, summary, table, figure, drawsTitle, asTable, onAsTable } = props;
  const { timeZone } = useFormat().locale;
  const nameOf = (ending: string) => fileName(title, dayOf(Date.now(), timeZone), ending);
  const saveCsv = () =>
    saveFile(
      nameOf('csv'),
      'text/csv;charset=utf-8',
      csvText(
        table.fileHead ?? table.head,
        table.rows.map(({ values }) => values),
      ),
    );
  const saveSvg = async () => {
    const { pictureOf } = await import('./picture-file.ts');
    // The file is made from a rendered chart, so render one until it's done. The browser paints nothing in between.
    if (asTable) flushSync(() => onAsTable?.(false));
    const text = figure.current === null ? null : pictureOf(figure.current, { title, summary, drawsTitle });
    if (asTable) flushSync(() => onAsTable?.(true));
    if (text !== null) saveFile(nameOf('svg'), 'image/svg+xml;charset=utf-8', text);
  };
  const items: MenuItem[] = [
    ...(onAsTable === null
      ? []
      : [
          {
            label: asTable ? t.asPicture : t.asTable,
            icon: asTable ? <ChartColumn /> : <Table2 />,
            act: () => onAsTable(!asTable),
          },
        ]),
    { label: t.csv, icon: <FileSpreadsheet />, act: saveCsv },
    { label: t.svg, icon: <FileImage />, act: () => void saveSvg().catch(() => toast({ text: t.notSaved })) },
  ];
  return (
    <div data-picture="none" data-print="none">
      <Menu
        items={items}
        trigger={
          <Button
            kind="quiet"
            size="small"
            aria-label={t.menu(title)}
            icon={<Ellipsis aria-hidden className="size-4" />}
          />
        }
      />
    </div>
  );
}
