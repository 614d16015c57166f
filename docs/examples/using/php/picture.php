<?php
// Prints amount and transRef of a slip's picture. BASE_URL=… API_KEY=… php picture.php SUBMISSION FILE

declare(strict_types=1);

require __DIR__ . '/sliptrail.php';

[, $submission, $file] = $argv;

$slip = slipTrail('POST', '/v2/verify/bank', ['image' => base64_encode(file_get_contents($file))], $submission);
echo $slip['amountInSlip'], ' ', $slip['rawSlip']['transRef'], "\n";
