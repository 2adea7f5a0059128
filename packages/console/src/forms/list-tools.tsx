import { Download, SlidersHorizontal } from 'lucide-react';
import { useRef, useState } from 'react';
import { useViews } from '../data/saved/saved-views.ts';
import type { ListAnswer } from '../data/use-operation.ts';
import { listToolTexts as t } from '../messages/lists/list-tools.ts';
import { useKeys } from '../route/use-keys.ts';
import { Button } from '../ui/button.tsx';
import type { CsvValue } from '../ui/csv.ts';
import { cx } from '../ui/cx.ts';
import { later } from '../ui/later.tsx';
import { Link, useLinks } from '../ui/link.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { useFormat } from '../ui/provider.tsx';
import { fileName, saveFile } from '../ui/save-file.ts';
import type { Column } from '../ui/table/table-column.ts';
import { rowsAsCsv, sortedRows } from '../ui/table/table-csv.ts';
import type { ListLook, LookChoices } from './use-list-look.ts';

const ListPanel = later(() => import('./list-panel.tsx').then((module) => module.ListPanel));

export interface ListToolsProps<Row> {
  readonly look: ListLook<Row>;
  /** What the rows are, in the plural: "Offers". */
  readonly title: string;
  readonly list: Pick<ListAnswer<Row>, 'rows' | 'total' | 'complete' | 'old' | 'loading'>;
  /** Values for the file that no column shows, by their head: the ID. */
  readonly further?: Readonly<Record<string, (row: Row) => CsvValue>>;
  /** Loads the columns for the file, if their values need further calls. Throws if a call fails. */
  readonly fileColumns?: ((rows: readonly Row[]) => Promise<readonly Column<Row>[]>) | undefined;
  /** For the header of a section. */
  readonly small?: boolean;
}

/** View options and CSV export of a list, after its filters. */
export function ListTools<Row>(props: ListToolsProps<Row>) {
  const { look, title, small = false } = props;
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isAddressed = look.view !== null;
  useKeys(isAddressed ? [{ keys: 'v', title: t.key, run: () => setOpen(true) }] : []);
  return (
    <div className="ms-auto flex flex-wrap items-center gap-2" data-print="none">
      <Button
        ref={button}
        size={small ? 'small' : 'normal'}
        icon={<SlidersHorizontal aria-hidden className="size-4" />}
        aria-label={t.viewOf(title)}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-keyshortcuts={isAddressed ? 'v' : undefined}
        onPointerEnter={ListPanel.fetch}
        onFocus={ListPanel.fetch}
        onClick={() => setOpen(!open)}
      >
        {t.view}
      </Button>
      {open ? <ListPanel button={button} title={title} look={look} onClose={() => setOpen(false)} /> : null}
      <CsvButton {...props} />
    </div>
  );
}

function CsvButton<Row>({ look, title, list, further = {}, fileColumns, small = false }: ListToolsProps<Row>) {
  const [busy, setBusy] = useState(false);
  const format = useFormat();
  const { rows, complete, old, loading } = list;
  const count = format.number(rows.length);
  const total = list.total === null ? null : format.number(list.total);
  const save = async () => {
    let requested: readonly Column<Row>[] = [];
    try {
      setBusy(true);
      if (fileColumns !== undefined) requested = await fileColumns(rows);
    } catch {
      toast({ text: t.notSaved });
      return;
    } finally {
      setBusy(false);
    }
    write(look.columns.map((column) => requested.find(({ key }) => key === column.key) ?? column));
  };
  const write = (columns: readonly Column<Row>[]) => {
    const shown = complete ? sortedRows(rows, look.columns, look.sort) : rows;
    const words = t.fileWords(title, rows.length, list.total, complete);
    const day = new Date().toISOString().slice(0, 10);
    saveFile(fileName(words, day, 'csv'), 'text/csv;charset=utf-8', rowsAsCsv(shown, columns, further));
    toast({ text: complete ? t.savedAll(count) : t.saved(count, total) });
  };
  return (
    <Button
      size={small ? 'small' : 'normal'}
      icon={<Download aria-hidden className="size-4" />}
      aria-label={complete ? t.csvOfAll(count) : t.csvOf(count, total)}
      title={complete ? t.csvOfAll(count) : t.csvOf(count, total)}
      disabledReason={old || loading ? t.rowsComing : rows.length === 0 ? t.noRows : null}
      busy={busy}
      onClick={() => void save()}
    >
      {t.csv}
    </Button>
  );
}

/** Links to the saved views of a list, with the current one marked. Empty without views. */
export function ViewLinks({ look }: { readonly look: Pick<LookChoices, 'list' | 'view'> }) {
  const views = useViews(look.list);
  const path = useLinks().here?.() ?? '';
  if (views.length === 0 || look.view === null) return null;
  return (
    <nav aria-label={t.views} className="flex flex-wrap items-center gap-1.5" data-print="none">
      {views.map(({ name, search }) => {
        const isOn = search === look.view;
        return (
          <Link
            key={name}
            to={`${path}${search}`}
            look="plain"
            data-act="plain"
            aria-label={t.open(name)}
            aria-current={isOn ? 'true' : undefined}
            className={cx(
              'inline-flex h-7 max-w-64 items-center rounded-control border px-2 text-dense font-medium',
              isOn
                ? 'border-accent bg-accent-soft text-accent-ink'
                : 'border-line text-soft hover:bg-hover hover:text-ink',
            )}
          >
            <span className="truncate" dir="auto">
              {name}
            </span>
          </Link>
        );
      })}
    </nav>
  );
}
