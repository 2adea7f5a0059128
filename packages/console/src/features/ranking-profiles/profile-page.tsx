import { type RankingProfile, rankingProfileOperations } from '@arbiter/contract/catalogue/ranking-profiles';
import { useOperation } from '../../data/use-operation.ts';
import { RecordActions } from '../../forms/editing/record-actions.tsx';
import { RecordPage, versionFacts } from '../../forms/record-page.tsx';
import { profileTexts as t } from '../../messages/catalogue/ranking-profiles.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { idTexts } from '../../messages/ui.ts';
import { useParam } from '../../route/use-address.ts';
import { Id } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { later } from '../../ui/later.tsx';
import { Section } from '../../ui/page.tsx';
import { useFormat } from '../../ui/provider.tsx';
import { WeightBars } from './weight-bars.tsx';

/** A separate chunk: it simulates. */
const ProfileTrial = later(() => import('./trial/profile-trial.tsx').then((module) => module.ProfileTrial));

/** A ranking profile and what it weighs. */
export function ProfilePage() {
  const id = useParam('id');
  const answer = useOperation(rankingProfileOperations.get, { params: { id } });
  return (
    <RecordPage
      answer={answer}
      operation={rankingProfileOperations.get}
      kind="rankingProfile"
      id={id}
      actions={<RecordActions kind="rankingProfile" operations={rankingProfileOperations} record={answer.data} />}
    >
      {(profile) => (
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-4">
            <Section title={t.weights}>
              <WeightBars weights={profile.weights} />
            </Section>
            <Details profile={profile} />
          </div>
          <ProfileTrial weights={profile.weights} />
        </div>
      )}
    </RecordPage>
  );
}

function Details({ profile }: { readonly profile: RankingProfile }) {
  const format = useFormat();
  return (
    <Section title={listTexts.about}>
      <Facts
        facts={[
          { label: listTexts.key, value: <Id id={profile.key} what={idTexts.profileKey} whole /> },
          ...versionFacts(profile, format),
        ]}
      />
    </Section>
  );
}
