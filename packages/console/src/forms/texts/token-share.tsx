import { estimateOperations } from '@arbiter/contract/deciding/estimates';
import { useOperation } from '../../data/use-operation.ts';
import { textTexts as t } from '../../messages/content/texts.ts';
import { useFormat } from '../../ui/provider.tsx';
import { useCustomerFields } from '../editing/condition/condition-fields.ts';

/** Returns the customer's column that a token reads; null for other values. */
function columnOf(source: string, columns: readonly string[]): string | null {
  const name = source.replace(/^customer\./, '');
  return columns.includes(name) ? name : null;
}

/** The share of customers without a value for a token, in a sample. Nothing for values of other kinds. */
export function TokenShare({ source }: { readonly source: string }) {
  const format = useFormat();
  const fields = useCustomerFields();
  const field = columnOf(
    source,
    fields.filter(({ column }) => column !== undefined).map(({ name }) => name),
  );
  const answer = useOperation(
    estimateOperations.reachEstimate,
    { body: { ruleType: 'attribute_condition', field: field ?? '', operator: 'exists' } },
    { enabled: field !== null, keepPrevious: false },
  );
  // A column of another schema can't be estimated.
  if (field === null || answer.data === undefined || answer.data.totalSampled === 0) return null;
  const missing = answer.data.excluded / answer.data.totalSampled;
  return (
    <span className={missing === 0 ? 'text-caption text-soft' : 'text-caption text-warn'}>
      {missing === 0 ? t.everyoneHasValue : t.withoutValue(format.percent(missing, 1))}
    </span>
  );
}
