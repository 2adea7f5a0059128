import { channelOperations } from '@arbiter/contract/catalogue/channels';
import { type RecommendAnswer, recommendOperations } from '@arbiter/contract/deciding/recommendation';
import { useState } from 'react';
import { boot } from '../../data/boot.ts';
import { useMutate, useOperation } from '../../data/use-operation.ts';
import { useFirstCustomer } from './use-first-customer.ts';

/**
 * The form of the first decision, its last two responses, and the calls that make them. `isFirst`: this tenant has no
 * decisions yet, so recording one confuses no one.
 */
export function useFirstDecision({ isFirst = false } = {}) {
  const first = useFirstCustomer();
  const channels = useOperation(channelOperations.list, { query: { limit: 100, status: 'active' } });
  const [customer, setCustomer] = useState<string | null>(null);
  const [channel, setChannel] = useState<string | null>(null);
  const [recorded, setRecorded] = useState<boolean | null>(null);
  const [answers, setAnswers] = useState<readonly RecommendAnswer[]>([]);
  const { run, busy, failure } = useMutate(recommendOperations.recommend);
  const block = boot();
  // Record decisions by default only for tenants meant for trying things out.
  const isTrial =
    first.isSample || (block.authenticated && (block.tenantStatus.isDemoMode || block.tenantStatus.isPlayground));
  const isRecorded = recorded ?? (isFirst || isTrial);
  const customerId = customer ?? first.customerId;
  const known = channels.data?.data ?? [];
  const channelId = channel ?? known.find(({ channelType }) => channelType === 'email')?.id ?? '';
  const request = () =>
    run({
      body: {
        customerId,
        ...(channelId === '' ? {} : { channelId }),
        limit: 3,
        ...(isRecorded ? {} : { dryRun: true }),
      },
    });
  return {
    fields: { customerId, channelId, isRecorded, setCustomer, setChannel, setRecorded },
    channels: known,
    channelType: known.find(({ id }) => id === channelId)?.channelType,
    isReady: customer !== null || !first.loading,
    answers,
    busy,
    failure,
    /** Decides again. */
    decide: async () => {
      setAnswers([]);
      const answer = await request();
      if (answer !== null) setAnswers([answer]);
    },
    /** Decides again, to compare with the last response. */
    repeat: async () => {
      const answer = await request();
      if (answer !== null) setAnswers([...answers, answer].slice(-2));
    },
  };
}

export type FirstDecision = ReturnType<typeof useFirstDecision>;
