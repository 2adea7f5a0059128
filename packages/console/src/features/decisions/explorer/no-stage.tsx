import type { DecisionRecord } from '@arbiter/contract/deciding/decisions';
import { emptyText } from '@arbiter/contract/explanation/texts';
import { decisionTexts as t } from '../../../messages/decisions/decisions.ts';
import { addresses } from '../../../route/addresses.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';

/** Shown for a decision that ended before its first stage, because its channel or placement didn't exist. */
export function NoStage({ record: { result, customerId } }: { readonly record: DecisionRecord }) {
  const reason = result?.emptyReason ?? null;
  return (
    <Empty
      title={t.noStageTitle}
      actions={
        <>
          <ButtonLink to={addresses.channels()}>{t.channels}</ButtonLink>
          {customerId === null ? null : (
            <ButtonLink to={addresses.simulate({ customer: customerId })}>{t.simulateThis}</ButtonLink>
          )}
        </>
      }
    >
      {reason === null ? t.noStage : `${emptyText(reason).text} ${t.noStage}`}
    </Empty>
  );
}
