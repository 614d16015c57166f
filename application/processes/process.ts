/** One thing to be done, and when. */
export interface Step {
  /** Milliseconds since 1970. In the past: overdue. */
  readonly dueAt: number
  /** The number of the attempt, as it will stand in the log. */
  readonly attempt: number
  /** Which delay of the retry schedule follows if it fails, from 1. */
  readonly retry: number
}

/**
 * A process manager: what is to be done next, as a pure function of what happened. A driver performs one step and
 * appends its outcome, and asks again; between the two it may die anywhere. The states fold from the log, so a due time
 * is a fact there and no timer has to survive.
 */
export interface ProcessManager<in State, out Next extends Step> {
  /** The step that is due next; undefined when nothing is, or while one is under way. */
  readonly react: (state: State) => Next | undefined
  /**
   * The step that is due next for one that takes over: a process that starts again, or a driver that won the claim on
   * work of another one. What is under way and has no outcome is done again, at once.
   */
  readonly resume: (state: State) => Next | undefined
  /** True when it is over: nothing is due any more, unless something new happens from outside. */
  readonly isTerminal: (state: State) => boolean
}
