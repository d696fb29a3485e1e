"""Says which JSON a JSON Schema allows, by a validator that has nothing to do with the library.

Each line of standard input is {"schema": …, "instances": [text, …]}; each line of the output is a list of true and false. A schema
that is none itself ends the program with an error.
"""

import json
import sys

from jsonschema import Draft202012Validator

for line in sys.stdin:
    question = json.loads(line)
    Draft202012Validator.check_schema(question["schema"])
    validator = Draft202012Validator(question["schema"])
    print(json.dumps([validator.is_valid(json.loads(text)) for text in question["instances"]]))
