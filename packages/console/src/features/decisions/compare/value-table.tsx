import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import type { ValueDifference } from './differences.ts';

export interface ValueTableProps {
  readonly a: string;
  readonly b: string;
  readonly rows: readonly ValueDifference[];
}

/** Table of different values by path. */
export function ValueTable({ a, b, rows }: ValueTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be keyboard accessible
    <section aria-label={`${a}, ${b}`} tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-dense max-sm:table-fixed sm:min-w-120">
        <thead>
          <tr className="border-b border-line text-start text-caption text-soft">
            <th scope="col" className="py-1 pe-3 text-start font-medium" />
            <th scope="col" className="py-1 pe-3 text-start font-medium">
              {a}
            </th>
            <th scope="col" className="py-1 text-start font-medium">
              {b}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.path} className="border-b border-line align-top">
              <th scope="row" className="py-1 pe-3 text-start font-mono text-caption font-normal break-all text-soft">
                {row.path}
              </th>
              <td className="py-1 pe-3 font-mono text-caption break-all">{jsonText(row.a)}</td>
              <td className="py-1 font-mono text-caption break-all">{jsonText(row.b)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const jsonText = (value: unknown): string => (value === undefined ? t.notThere : (JSON.stringify(value) ?? t.notThere));
