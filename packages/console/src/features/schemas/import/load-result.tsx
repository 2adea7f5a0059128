import { useEffect, useRef } from 'react';
import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { addresses } from '../../../route/addresses.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import type { LoadResult as Result } from './use-load.ts';

export interface LoadResultProps {
  readonly name: string;
  readonly schemaId: string;
  /** Null: the response was lost, but the rows are stored. */
  readonly result: Result | null;
  readonly isCustomers: boolean;
}

/** Shows what an import stored. Takes the focus. */
export function LoadResult({ name, schemaId, result, isCustomers }: LoadResultProps) {
  const format = useFormat();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const lines =
    result === null
      ? [t.found]
      : [
          t.inserted(format.number(result.inserted), result.inserted),
          ...(result.updated > 0 ? [t.updated(format.number(result.updated), result.updated)] : []),
          ...(result.skipped > 0 ? [t.skipped(format.number(result.skipped), result.skipped)] : []),
        ];
  return (
    <div className="flex flex-col gap-3 rounded-card border border-line bg-surface p-4">
      <h2 ref={heading} tabIndex={-1} className="text-section font-semibold break-words outline-none">
        {t.done(name)}
      </h2>
      <ul className="text-soft">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        {isCustomers ? <ButtonLink to={addresses.customers()}>{t.openCustomers}</ButtonLink> : null}
        <ButtonLink kind="primary" to={addresses.schema(schemaId)}>
          {t.openSchema}
        </ButtonLink>
      </div>
    </div>
  );
}
