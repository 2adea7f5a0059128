import { Table2 } from 'lucide-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { Button } from '../button.tsx';
import type { Drill } from '../drill.ts';
import { Link } from '../link.tsx';
import { useWidth } from '../use-width.ts';

/** The same data as the picture, for those who read it or do not see it. */
export interface ChartTable {
  readonly head: readonly string[];
  /** Texts in the order of the head; the drill is that of the mark. */
  readonly rows: readonly { readonly key: string; readonly cells: readonly string[]; readonly drill: Drill }[];
}

export interface ChartFrameProps {
  /** Says what it is about: "Decisions per hour". */
  readonly title: string;
  /** One sentence from the data: the text that stands for the picture. */
  readonly summary: string;
  readonly table: ChartTable;
  /** Said in place of the picture when there is nothing to draw. */
  readonly empty?: string | undefined;
  /** Age, zone, sampling: whatever belongs below. */
  readonly foot?: ReactNode;
  /** Draws for this width in px. */
  readonly children: (width: number) => ReactNode;
}

/** Title, picture, one sentence, and the same data as a table. Every chart stands in one. */
export function ChartFrame({ title, summary, table, empty, foot, children }: ChartFrameProps) {
  const [asTable, setAsTable] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const id = useId();
  const none = table.rows.length === 0;
  return (
    <figure aria-labelledby={id} className="flex min-w-0 flex-col gap-2">
      <div className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <p id={id} className="text-body font-semibold">
            {title}
          </p>
          <p className="text-caption text-soft">{none ? (empty ?? 'Nothing was counted in this time.') : summary}</p>
        </div>
        {none ? null : (
          <Button
            kind="quiet"
            size="small"
            aria-pressed={asTable}
            icon={<Table2 aria-hidden className="size-3.5" />}
            onClick={() => setAsTable(!asTable)}
          >
            As table
          </Button>
        )}
      </div>
      <div ref={box} className="min-w-0">
        {none ? null : asTable ? <AsTable title={title} table={table} /> : width > 0 ? children(width) : null}
      </div>
      {foot ? <figcaption className="flex flex-wrap gap-3 text-caption text-faint">{foot}</figcaption> : null}
    </figure>
  );
}

function AsTable({ title, table }: { readonly title: string; readonly table: ChartTable }) {
  return (
    <section
      aria-label={`${title}, table`}
      tabIndex={0}
      className="max-h-80 overflow-auto rounded-control border border-line"
    >
      <table className="w-full text-dense">
        <thead className="sticky top-0 bg-surface">
          <tr>
            {table.head.map((name, at) => (
              <th
                key={name}
                scope="col"
                className={`px-3 py-1.5 font-medium text-soft ${at === 0 ? 'text-start' : 'text-end'}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {table.rows.map(({ key, cells, drill }) => (
            <tr key={key}>
              {cells.map((cell, at) =>
                at === 0 ? (
                  <th key={table.head[at]} scope="row" className="px-3 py-1 text-start font-normal">
                    {'to' in drill ? <Link to={drill.to}>{cell}</Link> : cell}
                  </th>
                ) : (
                  <td key={table.head[at]} className="px-3 py-1 text-end">
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
