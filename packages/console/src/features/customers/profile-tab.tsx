import { type CustomerEligibility, customerToolOperations } from '@arbiter/contract/deciding/customer-tools';
import type { Answer } from '../../data/use-operation.ts';
import { Loaded } from '../../forms/loaded.tsx';
import { customerTexts as t } from '../../messages/customers.ts';
import { addresses } from '../../route/addresses.ts';
import { AsOf } from '../../ui/as-of.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { type AttributeField, attributeLabel, attributeText } from './attribute-text.ts';

export interface ProfileTabProps {
  readonly answer: Answer<CustomerEligibility>;
  /** Fields of the customer schema: labels and types. */
  readonly fields: readonly AttributeField[];
}

/** The profile as decisions read it. */
export function ProfileTab({ answer, fields }: ProfileTabProps) {
  return (
    <Loaded answer={answer} operation={customerToolOperations.eligibility}>
      {({ customer, segments, evaluatedAt }) => (
        <div className="grid items-start gap-4 lg:grid-cols-[2fr_1fr]">
          <Section title={t.attributes} about={<AsOf at={evaluatedAt} word={t.evaluated} />}>
            {Object.keys(customer).length === 0 ? (
              <Empty
                level={3}
                title={t.profileNone}
                actions={<ButtonLink to={addresses.schemas()}>{t.schemas}</ButtonLink>}
              >
                {t.profileNoneText}
              </Empty>
            ) : (
              <>
                <Attributes values={customer} fields={fields} />
                <p className="pt-3 text-caption text-soft">{t.withheld}</p>
              </>
            )}
          </Section>
          <Section title={t.memberOf}>
            {segments.length === 0 ? (
              <p className="text-dense text-soft">{t.memberOfNone}</p>
            ) : (
              <ul className="flex flex-wrap gap-2">
                {segments.map((name) => (
                  <li key={name}>
                    <Badge tone="info">{name}</Badge>
                  </li>
                ))}
              </ul>
            )}
          </Section>
        </div>
      )}
    </Loaded>
  );
}

interface AttributesProps extends Pick<ProfileTabProps, 'fields'> {
  readonly values: Readonly<Record<string, unknown>>;
}

/** Labels and values. Values of joined or linked tables are objects with a section of their own. */
function Attributes({ values, fields }: AttributesProps) {
  const format = useFormat();
  const fieldOf = (name: string) => fields.find((field) => field.name === name);
  const entries = Object.entries(values);
  const plain = entries.filter(([, value]) => !isPart(value));
  const parts = entries.filter(([, value]) => isPart(value));
  return (
    <div className="flex flex-col gap-4">
      <dl className="grid grid-cols-1 gap-x-6 sm:grid-cols-2">
        {plain.map(([name, value]) => (
          <div key={name} className="flex items-baseline justify-between gap-4 border-b border-line py-1.5 text-dense">
            <dt className="min-w-0 break-words text-soft" title={name}>
              {attributeLabel(name, fieldOf(name))}
            </dt>
            <dd className="min-w-0 max-w-[60%] text-end break-words tabular-nums">
              {attributeText(value, fieldOf(name), format)}
            </dd>
          </div>
        ))}
      </dl>
      {parts.map(([name, value]) => (
        <section key={name} className="flex flex-col gap-1">
          <h3 className="text-caption font-medium text-soft">{attributeLabel(name, undefined)}</h3>
          <Attributes values={value as Readonly<Record<string, unknown>>} fields={none} />
        </section>
      ))}
    </div>
  );
}

const none: readonly AttributeField[] = [];
const isPart = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);
