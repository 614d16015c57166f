/** What a log holds. */
export interface LogContents {
  /** The format of the file. */
  readonly format: number
  /** Position of the last event, 0 when there is none. */
  readonly head: number
  readonly events: number
}

export type LogTask =
  /** Copies the log as it is at one moment to a file that is there already, and empty. */
  | { readonly _tag: "Copy"; readonly from: string; readonly to: string }
  /** Looks whether a log is sound. */
  | { readonly _tag: "Examine"; readonly file: string }

export type FromLog =
  | { readonly _tag: "Copying"; readonly donePages: number; readonly pages: number }
  | { readonly _tag: "Copied"; readonly contents: LogContents }
  /** `faults` are SQLite's own words; none when the file is sound. */
  | { readonly _tag: "Examined"; readonly contents: LogContents; readonly faults: ReadonlyArray<string> }
  | { readonly _tag: "Failed"; readonly message: string }
