import { slipReaderContract } from "../../../contracts/slip-reader.ts"

slipReaderContract("native")
