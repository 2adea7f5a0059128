import { enrollmentStatuses, journeyNodeTypes, journeyStepResults } from '@arbiter/contract';
import Type from 'typebox';
import { event } from '../../../jobs/index.ts';

const words = <const W extends readonly [string, ...string[]]>(values: W, description: string) =>
  Type.Unsafe<W[number]>(Type.String({ enum: [...values], description }));

/** A customer took a step of a journey (docs/design/api-access.md 12.1). */
export const journeyStep = event({
  type: 'journey.step.v1',
  payload: Type.Object(
    {
      journeyId: Type.String({ format: 'uuid', description: 'Journey.' }),
      journeyVersion: Type.Integer({ description: 'Version of the journey.' }),
      enrollmentId: Type.String({ format: 'uuid', description: 'Enrollment.' }),
      customerId: Type.String({ minLength: 1, description: 'Customer.' }),
      nodeId: Type.String({ description: 'Node.' }),
      nodeType: words(journeyNodeTypes, 'Type of the node.'),
      visit: Type.Integer({ description: 'Number of the step. With enrollment and node, its unique key.' }),
      result: words(journeyStepResults, 'What the step did.'),
      previousStatus: words(enrollmentStatuses, 'Status of the enrollment before the step.'),
      status: words(enrollmentStatuses, 'Status after the step.'),
    },
    { additionalProperties: false },
  ),
});
