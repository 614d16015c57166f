import { serveThread } from "../../../platform/threads/serve-thread.ts"
import { type Examination, examine } from "./examine-pages.ts"

// A thread that examines a file, and then ends.

serveThread<undefined, undefined, Examination, ReadonlyArray<string>>(() => ({ ready: undefined, answer: examine }))
