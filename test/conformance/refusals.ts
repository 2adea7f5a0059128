/**
 * Cases of the engine's last line of defence: it closes what cannot be read or is not there, and the API refuses to write
 * that. By file and name, the place of the first mistake that the refusal tells.
 */
export const refusals: Readonly<Record<string, string>> = {
  'budgets.json a budget that cannot be read closes the offer': '/budget/dailyCapCents',
  'call-flow.json call_flow in phase 2: a flow that cannot run is closed': '/draftConfig/nodes/2/config/flowKey',
  'call-flow.json call_flow in phase 3: a flow that cannot run takes all but mandatory offers':
    '/draftConfig/nodes/3/config/flowKey',
  'call-flow.json call_flow: a flow that cannot run is closed': '/draftConfig/nodes/1/config/flowKey',
  'call-flow.json call_flow: a sixth is closed': '/draftConfig/nodes/1/config/flowKey',
  'call-flow.json call_flow: closed in merge and replace too; mandatory offers stay':
    '/draftConfig/nodes/1/config/flowKey',
  'call-flow.json call_flow: flows that call each other are closed where the circle would begin again':
    '/draftConfig/nodes/1/config/flowKey',
  "call-flow.json call_flow: what a flow with a list of its own asks does not bind the caller's candidates, nor its mandatory offers":
    '/draftConfig/nodes/0/config/offerIds/0',
  'conditional.json conditional: a call of a flow that cannot run closes, when it is taken':
    '/draftConfig/nodes/1/config/onTrue/flowKey',
  'conditional.json conditional: and does nothing when it is not': '/draftConfig/nodes/1/config/onTrue/flowKey',
  'delivery.json computed custom fields of the category, in order of dependence': '/customFields/3/formula',
  'gates.json a hard rule with a config that cannot be read fails, in match it is left out': '/config/metricId',
  'gates.json eligibility: all keys must hold, what cannot be read closes': '/eligibility/conditions/operator',
  'gates.json enrich: drop_all when a source has no row': '/draftConfig/nodes/1/config/sources/0/schemaId',
  'gates.json no candidate at all: inventory': '/draftConfig/nodes/0/config/offerIds/0',
  'gates.json schedule: dates are inclusive days, instants have an exclusive end': '/schedule/startDate',
  "groups.json by the channel's type likewise": '/draftConfig/nodes/4/config/placements/1/placementId',
  'groups.json placements of the node of another channel, inactive or gone are skipped, and count as empty for nobody':
    '/draftConfig/nodes/4/config/placements/1/placementId',
  'learned-models.json bayesian: a state of no use, the ladder continues': '/modelState/n',
  'models.json a challenger that is not usable: the champion':
    '/draftConfig/nodes/2/config/championChallenger/challengers/0/modelKey',
  'models.json a state of no use for an offer: the ladder goes on for it': '/modelState/arms/<id>/totalReward',
  'models.json a model that is not in the plan is not usable': '/draftConfig/nodes/2/config/modelKey',
  'offer-caps.json an offer whose caps cannot be read is closed': '/frequencyCaps/perCustomer/daily',
  'outcomes.json category_suppression: a category that is gone blocks nothing': '/config/categoryId',
  'outcomes.json category_suppression: a policy that cannot be read blocks': '/config/suppressionDays',
  'policies.json a filter node asks the global policies it names': '/draftConfig/nodes/1/config/contactPolicyIds/1',
  'policies.json a policy with a config that cannot be read blocks': '/config/metricId',
  'segments.json segment_exclusion without a segment cannot be asked, and blocks': '/config/excludeSegments',
  'segments.json segment_required without its list cannot be asked': '/config/requiredSegments',
  'strategies.json a default profile that is gone changes nothing': '/defaultArbitrationProfileId',
};
