export { ApiError } from './api-error.ts';
export { type CallAnswer, type Caller, createCaller, type Wire } from './caller.ts';
export { type Client, type ClientCalls, type ClientOptions, createClient } from './client.ts';
export type { CallBody, CallInput, CallOptions } from './inputs.ts';
export type { ListItem, Page } from './page.ts';
export type { Handling } from './request.ts';
