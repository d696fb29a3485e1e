"""Says which JSON a JSON Schema allows, by a validator that has nothing to do with the library.

Each line of standard input is {"schema": …, "instances": [text, …]}; each line of the output is {"valid": [true or false, …]}, or
{"error": text} for a schema that is none itself or text that is no JSON.
"""

import json
import sys

from jsonschema import Draft202012Validator


def are_valid(question):
    Draft202012Validator.check_schema(question["schema"])
    validator = Draft202012Validator(question["schema"])
    return [validator.is_valid(json.loads(text)) for text in question["instances"]]


for line in sys.stdin:
    try:
        answer = {"valid": are_valid(json.loads(line))}
    except Exception as error:  # of this line only: the others have their answers
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer))
