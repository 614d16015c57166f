import { curlSample } from "./curl.ts"
import { phpSample } from "./php.ts"
import { pythonSample } from "./python.ts"
import type { SampleRequest } from "./sample-request.ts"
import { typescriptSample } from "./typescript.ts"

/** A language of samples. */
export interface SampleLanguage {
  /** In class names and in the stored choice. */
  readonly id: string
  readonly name: string
  readonly sample: (request: SampleRequest) => string
}

/** The languages in which the reference shows every operation, the default first. */
export const sampleLanguages: ReadonlyArray<SampleLanguage> = [
  { id: "curl", name: "curl", sample: curlSample },
  { id: "typescript", name: "TypeScript", sample: typescriptSample },
  { id: "php", name: "PHP", sample: phpSample },
  { id: "python", name: "Python", sample: pythonSample }
]
