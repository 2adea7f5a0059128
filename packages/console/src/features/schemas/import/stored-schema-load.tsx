import type { DataSchema } from '@arbiter/contract/catalogue/schemas';
import { useState } from 'react';
import { fileImportTexts as t } from '../../../messages/catalogue/schemas/file-import.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { useFormat } from '../../../ui/provider.tsx';
import { FileFacts } from './file-facts.tsx';
import type { FileLoadProps } from './file-load.ts';
import { badLinesOf, ignoredHeaders } from './import-plan.ts';
import { LoadBar } from './load-bar.tsx';
import { LoadProblem } from './load-problem.tsx';
import { LoadProgress } from './load-progress.tsx';
import { LoadResult } from './load-result.tsx';
import { isUnderWay, type LoadRequest, useLoad } from './use-load.ts';

type Props = FileLoadProps & { readonly schema: DataSchema };

/** Loads a file into an existing schema. */
export function StoredSchemaLoad({ chosen, schema, onAnother, onDone }: Props) {
  const { file, analysis } = chosen;
  const format = useFormat();
  const [onDuplicate, setDuplicate] = useState<LoadRequest['onDuplicate']>('skip');
  const { state, load, check, stop } = useLoad(onDone);
  const ignored = ignoredHeaders(analysis, schema);
  const matched = analysis.columns.length - ignored.length;
  const hasKey = schema.fields.some(({ isPrimaryKey, isUnique }) => isPrimaryKey || isUnique);
  const failure = state.phase === 'failed' ? state.failure : null;
  const refused = failure?.kind === 'refused' && failure.problem.code === 'csv_invalid' ? failure.problem.errors : [];
  const request: LoadRequest = {
    ...{ file, rows: analysis.estimatedRows, target: { id: schema.id }, name: schema.displayName, onDuplicate },
  };
  const begin = () => void load(request);
  if (state.phase === 'done') {
    const isCustomers = schema.schemaType === 'customer';
    return (
      <div className="flex flex-col gap-4">
        <FileFacts chosen={chosen} onAnother={onAnother} />
        <LoadResult name={schema.displayName} isCustomers={isCustomers} {...state} />
      </div>
    );
  }
  if (isUnderWay(state)) return <LoadProgress state={state} rows={analysis.estimatedRows} onStop={stop} />;
  return (
    <div className="flex flex-col gap-4">
      <FileFacts chosen={chosen} onAnother={onAnother} />
      <LoadProblem
        {...{ state, onAnother }}
        badLines={badLinesOf(refused, schema.fields)}
        columns={[]}
        onText={() => undefined}
        onRetry={begin}
        onCheck={() => void check(request)}
      />
      <div className="flex flex-col gap-3 rounded-card border border-line bg-surface p-4">
        <p>{matched === 0 ? t.noneMatched : t.matched(matched)}</p>
        {ignored.length === 0 ? null : <p className="break-words text-warn">{t.ignored(ignored)}</p>}
        {hasKey ? (
          <SelectField
            className="max-w-sm"
            label={t.duplicates}
            options={Object.entries(t.onDuplicate).map(([value, label]) => ({ value, label }))}
            value={onDuplicate}
            onChange={({ target }) => setDuplicate(target.value === 'update' ? 'update' : 'skip')}
          />
        ) : (
          <p className="text-soft">{t.noKey}</p>
        )}
      </div>
      <LoadBar>
        <Button kind="primary" disabledReason={matched === 0 ? t.noneMatched : null} onClick={begin}>
          {t.load(format.number(analysis.estimatedRows), analysis.estimatedRows)}
        </Button>
      </LoadBar>
    </div>
  );
}
