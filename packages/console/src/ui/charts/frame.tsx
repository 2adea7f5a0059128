import { type ReactNode, useId, useRef, useState } from 'react';
import { chartTexts as t } from '../../messages/charts.ts';
import type { CsvValue } from '../csv.ts';
import type { Drill } from '../drill.ts';
import { Link } from '../link.tsx';
import { useWidth } from '../use-width.ts';
import { ChartMenu } from './menu.tsx';

/** The chart's data as a table, for reading, screen readers and files. */
export interface ChartTable {
  readonly head: readonly string[];
  /** Head of the file, where it has other columns than the table: the two ends of a time, not one text of both. */
  readonly fileHead?: readonly string[];
  /**
   * Texts in the order of the head; the drill is that of the mark. `values` are those of the file: numbers as numbers, instants
   * in ISO 8601, days as 2026-11-23.
   */
  readonly rows: readonly {
    readonly key: string;
    readonly cells: readonly string[];
    readonly values: readonly CsvValue[];
    readonly drill: Drill;
  }[];
}

export interface ChartFrameProps {
  /** Says what it is about: "Decisions per hour". */
  readonly title: string;
  /** One sentence from the data: the chart's text alternative. */
  readonly summary: string;
  readonly table: ChartTable;
  /** The picture is already a table of the same numbers, so there's no second one. */
  readonly isTable?: boolean;
  /** The page already shows title and summary around the chart, so they're only for screen readers and files. */
  readonly bare?: boolean;
  /** Shown instead of the chart when there's nothing to draw. */
  readonly empty?: string | undefined;
  /** Age, zone, sampling: whatever belongs below. */
  readonly foot?: ReactNode;
  /** Draws for this width in px. */
  readonly children: (width: number) => ReactNode;
}

/** Title, picture, one sentence, the same data as a table, and both as files. Every chart is in one. */
export function ChartFrame(props: ChartFrameProps) {
  const { title, summary, table, isTable = false, bare = false, empty, foot, children } = props;
  const [asTable, setAsTable] = useState(false);
  const figure = useRef<HTMLElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const id = useId();
  const none = table.rows.length === 0;
  const head = (
    <div className={bare ? 'hidden-text' : 'min-w-0'}>
      <p id={id} className="text-body font-semibold">
        {title}
      </p>
      <p className="text-caption text-soft">{none ? (empty ?? t.none) : summary}</p>
    </div>
  );
  const picture = (
    <div ref={box} className="min-w-0 flex-1">
      {none ? null : asTable ? <AsTable title={title} table={table} /> : width > 0 ? children(width) : null}
    </div>
  );
  const menu = none ? null : (
    <ChartMenu
      figure={figure}
      drawsTitle={bare}
      asTable={asTable}
      onAsTable={isTable ? null : setAsTable}
      {...{ title, summary, table }}
    />
  );
  return (
    <figure ref={figure} aria-labelledby={id} className="relative flex min-w-0 flex-col gap-2">
      <div className="flex items-start justify-between gap-2">
        {head}
        {bare ? picture : null}
        {menu}
      </div>
      {bare ? null : picture}
      {foot ? <figcaption className="flex flex-wrap gap-3 text-caption text-faint">{foot}</figcaption> : null}
    </figure>
  );
}

function AsTable({ title, table }: { readonly title: string; readonly table: ChartTable }) {
  return (
    <section
      aria-label={t.tableOf(title)}
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
                    {'to' in drill ? (
                      <Link to={drill.to} className="inline-block py-0.5">
                        {cell}
                      </Link>
                    ) : (
                      cell
                    )}
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
