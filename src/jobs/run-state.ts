/** The runner's data stored with a job besides its payload. */
export interface RunState {
  readonly slot?: number;
  /** Set while its work is on the list of failing work. */
  readonly failing?: true;
}

/** Separates a job's payload from the runner's data. */
export function payloadAndState(data: object): { readonly payload: object; readonly state: RunState } {
  const { slot, failing, ...payload } = data as RunState;
  return {
    payload,
    state: { ...(slot === undefined ? {} : { slot }), ...(failing === undefined ? {} : { failing }) },
  };
}
