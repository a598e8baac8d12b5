"""
The XML Schema of the messages of remote games, made from what the codec reads and writes.

`python -m gamehost.wires.paper_soccer.schema` prints it; the documentation has it as `remote.xsd`. A schema cannot say that
the content of a message depends on its type, so it says what may stand in any of them.
"""

from gamehost.wires.paper_soccer.messages import REMOTE_SERVER_TYPES, LoginError
from gamehost.wires.paper_soccer.remote_codec import CLIENT_TYPES, RESULTS
from gamehost.wires.paper_soccer.remote_rules import MOST_PLAYERS

_SCHEMA = """\
<?xml version="1.0" encoding="UTF-8"?>
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:element name="message">
    <xs:complexType mixed="true">
      <xs:choice minOccurs="0">
        <xs:element ref="playerLogin"/>
        <xs:element ref="gameMasterLogin"/>
        <xs:sequence>
          <xs:element ref="response"/>
          <xs:element ref="error" minOccurs="0"/>
        </xs:sequence>
        <xs:sequence>
          <xs:element ref="gameId"/>
          <xs:choice minOccurs="0">
            <xs:element ref="player" maxOccurs="unbounded"/>
            <xs:element ref="move"/>
            <xs:sequence>
              <xs:choice>
                <xs:element ref="nextPlayer"/>
                <xs:element ref="gameOver"/>
              </xs:choice>
              <xs:element ref="gameState"/>
            </xs:sequence>
          </xs:choice>
        </xs:sequence>
        <xs:sequence>
          <xs:element ref="player"/>
          <xs:choice>
            <xs:element ref="gameId"/>
            <xs:element ref="player" minOccurs="0" maxOccurs="unbounded"/>
          </xs:choice>
        </xs:sequence>
      </xs:choice>
      <xs:attribute name="type" use="required">
        <xs:simpleType>
          <xs:restriction base="xs:string">
%(types)s
          </xs:restriction>
        </xs:simpleType>
      </xs:attribute>
    </xs:complexType>
  </xs:element>
  <xs:element name="playerLogin">
    <xs:complexType>
      <xs:attribute name="nick" type="xs:string" use="required"/>
      <xs:attribute name="gameType" type="gameType" use="required"/>
    </xs:complexType>
  </xs:element>
  <xs:element name="gameMasterLogin">
    <xs:complexType>
      <xs:attribute name="id" type="xs:string" use="required"/>
      <xs:attribute name="gameType" type="gameType" use="required"/>
      <xs:attribute name="playersMin" type="players" use="required"/>
      <xs:attribute name="playersMax" type="players" use="required"/>
    </xs:complexType>
  </xs:element>
  <xs:element name="response">
    <xs:complexType>
      <xs:attribute name="accept" use="required">
        <xs:simpleType>
          <xs:restriction base="xs:string">
            <xs:enumeration value="yes"/>
            <xs:enumeration value="no"/>
          </xs:restriction>
        </xs:simpleType>
      </xs:attribute>
    </xs:complexType>
  </xs:element>
  <xs:element name="error">
    <xs:complexType mixed="true">
      <xs:attribute name="id" use="required">
        <xs:simpleType>
          <xs:restriction base="xs:string">
%(errors)s
          </xs:restriction>
        </xs:simpleType>
      </xs:attribute>
    </xs:complexType>
  </xs:element>
  <xs:element name="gameId">
    <xs:complexType>
      <xs:attribute name="id" use="required">
        <xs:simpleType>
          <xs:restriction base="xs:string">
            <xs:pattern value="[1-9][0-9]*(\\.[1-9][0-9]*)?"/>
          </xs:restriction>
        </xs:simpleType>
      </xs:attribute>
    </xs:complexType>
  </xs:element>
  <xs:element name="nextPlayer">
    <xs:complexType>
      <xs:attribute name="nick" type="xs:string" use="required"/>
    </xs:complexType>
  </xs:element>
  <xs:element name="gameOver">
    <xs:complexType>
      <xs:sequence>
        <xs:element ref="player" maxOccurs="unbounded"/>
      </xs:sequence>
    </xs:complexType>
  </xs:element>
  <xs:element name="player">
    <xs:complexType>
      <xs:attribute name="nick" type="xs:string" use="required"/>
      <xs:attribute name="result">
        <xs:simpleType>
          <xs:restriction base="xs:string">
%(results)s
          </xs:restriction>
        </xs:simpleType>
      </xs:attribute>
      <xs:attribute name="won" type="xs:nonNegativeInteger"/>
      <xs:attribute name="lost" type="xs:nonNegativeInteger"/>
    </xs:complexType>
  </xs:element>
  <xs:element name="move" type="content"/>
  <xs:element name="gameState" type="content"/>
  <xs:complexType name="content" mixed="true">
    <xs:sequence>
      <xs:any namespace="##any" processContents="skip" minOccurs="0" maxOccurs="unbounded"/>
    </xs:sequence>
  </xs:complexType>
  <xs:simpleType name="gameType">
    <xs:restriction base="xs:string">
      <xs:pattern value="[\\p{L}\\p{N}_ \\-.:]{1,64}"/>
    </xs:restriction>
  </xs:simpleType>
  <xs:simpleType name="players">
    <xs:restriction base="xs:integer">
      <xs:pattern value="[1-9][0-9]?"/>
      <xs:minInclusive value="2"/>
      <xs:maxInclusive value="%(most)d"/>
    </xs:restriction>
  </xs:simpleType>
</xs:schema>
"""


def _values(*values: object) -> str:
    return "\n".join([f'            <xs:enumeration value="{value}"/>' for value in values])


def schema() -> str:
    """The schema as a file, with its last line end."""
    return _SCHEMA % {
        "types": _values(*sorted({*CLIENT_TYPES, *REMOTE_SERVER_TYPES})),
        "errors": _values(*[error.value for error in LoginError]),
        "results": _values(*RESULTS),
        "most": MOST_PLAYERS,
    }


if __name__ == "__main__":
    print(schema(), end="")
