import type { JudgedOffer } from '@arbiter/contract/deciding/customer-tools';
import { customerTexts as t } from '../../messages/customers.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { attributeLabel, attributeText } from './attribute-text.ts';
import { reasonTitle } from './reasons.ts';

/** Every gate of an offer: rules and policies with their results. */
export function JudgedOfferDialog({ offer, onClose }: { readonly offer: JudgedOffer; readonly onClose: () => void }) {
  const failed = offer.qualification.filter(({ passed }) => !passed);
  const passedRules = offer.qualification.filter(({ passed }) => passed);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={offer.offerName}
      description={offer.primaryReason === null ? t.whyNotNone : reasonTitle(offer.primaryReason)}
      footer={<ButtonLink to={addresses.offer(offer.offerId)}>{t.openOffer}</ButtonLink>}
    >
      <ul className="flex flex-col divide-y divide-line">
        {offer.policies.map((policy) => (
          <GateLine
            key={policy.policyId}
            passed={false}
            kind={t.policy}
            name={policy.policyName}
            detail={policy.detail}
          />
        ))}
        {[...failed, ...passedRules].map((rule) => (
          <GateLine
            key={rule.ruleId ?? 'own'}
            passed={rule.passed}
            kind={t.rule}
            name={rule.ruleName ?? t.ownEligibility}
            detail={rule.detail}
          />
        ))}
      </ul>
    </Dialog>
  );
}

interface GateLineProps {
  readonly passed: boolean;
  readonly kind: string;
  readonly name: string;
  readonly detail: unknown;
}

function GateLine({ passed, kind, name, detail }: GateLineProps) {
  const format = useFormat();
  const facts = typeof detail === 'object' && detail !== null ? Object.entries(detail) : [];
  return (
    <li className="flex flex-col gap-1 py-2">
      <span className="flex flex-wrap items-center gap-2">
        <Badge tone={passed ? 'pass' : 'block'}>{passed ? t.passes : t.blocks}</Badge>
        <span className="font-medium">{name}</span>
        <span className="text-caption text-soft">{kind}</span>
      </span>
      {facts.length === 0 ? null : (
        <dl className="flex flex-wrap gap-x-4 gap-y-1 text-dense">
          {facts.map(([key, value]) => (
            <div key={key} className="flex gap-1.5">
              <dt className="text-soft">{attributeLabel(key, undefined)}</dt>
              <dd className="break-words tabular-nums">{attributeText(value, undefined, format)}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}
